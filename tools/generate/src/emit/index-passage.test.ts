import { expect, it } from 'vitest'

import type { ServiceModel } from '../normalize/model.ts'
import { withExports } from './index-passage.ts'

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

const index = `export { Lamps } from './client.ts'
export type { Light as Bulb } from './light.ts'
// Generated from the contract: every operation and channel as on the wire, and the types of the wire.
export { old } from './gen/operations.gen.ts'
// End of the generated part.
export { ApiError } from '@concord/runtime'
`

it('the index of a client exports every operation, channel and type of the contract', () => {
  expect(withExports(index, model, types, '@concord/lamps-validators'))
    .toBe(`export { Lamps } from './client.ts'
export type { Light as Bulb } from './light.ts'
// Generated from the contract: every operation and channel as on the wire, and the types of the wire.
export { getLamp, listLamps } from './gen/operations.gen.ts'
export { glow } from './gen/channels.gen.ts'
export type { GlowLevel, Lamp } from '@concord/lamps-validators'
// End of the generated part.
export { ApiError } from '@concord/runtime'
`)
})

it('an index without the marks stays as it is', () => {
  expect(withExports('export {}\n', model, types, '@concord/lamps-validators')).toBe('export {}\n')
})
