import { DELIVERY, LIST, LOCATED, NEW, PARCEL, SUBSCRIBE, text, type PlantedChanges } from './places.ts'

/** An object in each direction and on each transport: two of its required fields, and an optional one. */
const OBJECTS = [
  { role: 'request', name: 'NewParcel', at: NEW, required: ['to', 'size'], optional: 'weight' },
  { role: 'response', name: 'Parcel', at: PARCEL, required: ['id', 'status'], optional: 'price' },
  { role: 'webhook', name: 'Delivery', at: DELIVERY, required: ['parcel', 'at'], optional: 'note' },
  {
    role: 'client message',
    name: 'Subscribe',
    at: SUBSCRIBE,
    required: ['parcel', 'type'],
    optional: 'since',
  },
  { role: 'server message', name: 'Located', at: LOCATED, required: ['place', 'type'], optional: 'speed' },
] as const

const fieldsOf = ({ role, name, at, required, optional }: (typeof OBJECTS)[number]): PlantedChanges => {
  const file = role.endsWith('message') ? 'sockets' : 'http'
  const isSent = role === 'request' || role === 'client message'
  const narrowed = isSent ? 'major major' : 'minor minor'
  const widened = isSent ? 'minor minor' : 'major major'
  const [first, second] = required
  return {
    [`minor minor: Adds the optional ${role} field \`color\` to \`${name}\`.`]: [
      [file, `${at}/properties/color`, 'set', text],
    ],
    [`${narrowed}: Adds the required ${role} field \`color\` to \`${name}\`.`]: [
      [file, `${at}/properties/color`, 'set', text],
      [file, `${at}/required`, 'set', [first, second, 'color']],
    ],
    [`${isSent ? 'major' : 'minor'} major: Removes the optional ${role} field \`${optional}\` from \`${name}\`.`]:
      [[file, `${at}/properties/${optional}`, 'remove']],
    [`major major: Removes the required ${role} field \`${first}\` from \`${name}\`.`]: [
      [file, `${at}/properties/${first}`, 'remove'],
      [file, `${at}/required`, 'set', [second]],
    ],
    [`major major: Renames the ${role} field \`${optional}\` of \`${name}\` to \`other\`.`]: [
      [file, `${at}/properties/${optional}`, 'rename', 'other'],
    ],
    [`${narrowed}: Makes the ${role} field \`${optional}\` of \`${name}\` required.`]: [
      [file, `${at}/required`, 'set', [first, second, optional]],
    ],
    [`${widened}: Makes the ${role} field \`${first}\` of \`${name}\` optional.`]: [
      [file, `${at}/required`, 'set', [second]],
    ],
  }
}

/** Fields, in each direction and on each transport. */
export const fields: PlantedChanges = {
  ...Object.fromEntries(OBJECTS.flatMap((object) => Object.entries(fieldsOf(object)))),
  'minor minor: Adds the request field `color` to `NewParcel.options`, which used to forbid unlisted fields.':
    [['http', `${NEW}/properties/options/properties/color`, 'set', text]],
  'major minor: Adds the response field `color` to `Parcel.seal`, which used to forbid unlisted fields.': [
    ['http', `${PARCEL}/properties/seal/properties/color`, 'set', text],
  ],
  'minor minor: Adds the optional response field `page` to the response 200 of `listParcels`.': [
    ['http', `${LIST}/responses/200/content/application~1json/schema/properties/page`, 'set', text],
  ],
}
