import { expect, it } from 'vitest'

import { parse } from 'yaml'

import { withContracts } from './contract-list.ts'

const lamps = {
  file: 'specs/lamps/openapi.yaml',
  value: parse(`
openapi: 3.1.0
info: { title: Lamp service }
paths:
  /lamps: { parameters: [], get: {}, post: {} }
webhooks:
  broken: { post: {} }
`),
}
const light = {
  file: 'specs/lamps/asyncapi.yaml',
  value: parse(`
asyncapi: 3.0.0
info: { title: 'Lamp service, light' }
channels:
  glow: { address: /glow }
  flicker: { address: /flicker }
  broken: { address: null }
`),
}

it('lists each contract in the README with its title and the number of its operations, channels and events', () => {
  const readme = '# Specs\n\n<!-- generated from the contracts: begin -->\nold\n<!-- end -->\nMore.\n'
  const written = `# Specs

<!-- generated from the contracts: begin -->

| contract | contents |
|---|---|
| \`lamps/openapi.yaml\` | Lamp service: 2 operations, 1 webhook |
| \`lamps/asyncapi.yaml\` | Lamp service, light: 2 channels, 1 webhook |

<!-- end -->
More.
`
  expect(withContracts(readme, [lamps, light])).toBe(written)
  expect(withContracts(written, [lamps, light])).toBe(written)
})

it("doesn't change a README without the marks", () => {
  expect(withContracts('# Specs\n', [lamps])).toBe('# Specs\n')
})
