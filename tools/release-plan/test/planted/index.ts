import { calls } from './calls.ts'
import { combined } from './combined.ts'
import { fields } from './fields.ts'
import { sockets } from './sockets.ts'
import { values } from './values.ts'
import { words } from './words.ts'
import type { PlantedChanges } from './places.ts'

/** Every element of both kinds of contracts, changed in every way that a rule covers. */
export const plantedChanges: PlantedChanges = {
  ...fields,
  ...values,
  ...calls,
  ...sockets,
  ...words,
  ...combined,
}
