import { join } from 'node:path'

import { expect, it } from 'vitest'

import type { ServiceModel } from '../normalize/model.ts'
import { readService } from '../normalize/service.ts'
import { readSource } from '../read/source.ts'
import { checkExports, withExports } from './index-passage.ts'

const model = {
  operations: [{ id: 'getLamp' }, { id: 'listLamps' }],
  channels: [{ id: 'glow' }],
} as unknown as ServiceModel
const types = [
  'Lamp',
  'Bulb',
  'GetLampInput',
  'GetLampOutput',
  'ListLampsResponse200',
  'GlowQuery',
  'GlowLevel',
]

const service = {
  name: 'lamps',
  openapi: 'lamps.yaml',
  apiName: 'LampsApi',
  index: 'packages/lamps/src/index.ts',
  validators: { packageName: '@concord/lamps-validators', folder: 'packages/lamps-validators/src/gen' },
  client: { folder: 'packages/lamps/src/gen' },
}

const index = `export { Lamps } from './client.ts'
export type { Light as Bulb } from './light.ts'
// Generated from the contract: every operation and channel, and the types of their messages.
export { old } from './gen/operations.gen.ts'
// End of the generated part.
export { ApiError } from '@concord/runtime'
`

it('the index of a client exports every operation, channel and type of the contract', () => {
  expect(withExports(index, model, types, service)).toBe(`export { Lamps } from './client.ts'
export type { Light as Bulb } from './light.ts'
// Generated from the contract: every operation and channel, and the types of their messages.
export { getLamp, listLamps } from './gen/operations.gen.ts'
export { glow } from './gen/channels.gen.ts'
export type { GlowLevel, Lamp } from '@concord/lamps-validators'
// End of the generated part.
export { ApiError } from '@concord/runtime'
`)
})

it.each([
  ['nothing of it', 'export {}\n'],
  ['only its type', "export type { getParcel, sendParcel } from './gen/operations.gen.ts'\n"],
  ['only the other operation', "export { sendParcel } from './gen/operations.gen.ts'\n"],
  ['only an import of it', "import { getParcel } from './gen/operations.gen.ts'\nexport { sendParcel }\n"],
])('an operation is reported with its line if the index of the client exports %s', async (_, index) => {
  const parcels = readSource(
    join(import.meta.dirname, '../../test/fixtures/parcels/openapi.yaml'),
    'parcels.yaml',
  )
  const line = parcels.text.slice(0, parcels.text.indexOf('    get:')).split('\n').length
  const read = await readService(parcels)
  expect(() => checkExports(index, 'packages/parcels/src/index.ts', read)).toThrow(
    `parcels.yaml:${line} #/paths/~1parcels~1{id}/get\n    packages/parcels/src/index.ts doesn't export \`getParcel\`: export it, or add the following two lines to the file`,
  )
})

it('an operation that the index exports by hand, under its name, is exported', async () => {
  const parcels = readSource(
    join(import.meta.dirname, '../../test/fixtures/parcels/openapi.yaml'),
    'parcels.yaml',
  )
  const index = "export { getParcel, sent as sendParcel } from './gen/operations.gen.ts'\n"
  const read = await readService(parcels)
  expect(() => checkExports(index, 'index.ts', read)).not.toThrow()
})

it('an index without the marks stays as it is', () => {
  expect(withExports('export {}\n', model, types, service)).toBe('export {}\n')
})
