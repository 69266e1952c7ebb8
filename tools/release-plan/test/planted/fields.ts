import { DELIVERY, LIST, LOCATED, NEW, PARCEL, plant, SUBSCRIBE, text, type PlantedChange } from './plant.ts'

/** Fields, in each direction and on each transport. */
export const fields: readonly PlantedChange[] = [
  plant(
    [['http', `${NEW}/properties/color`, 'set', text]],
    'minor minor: Adds the optional request field `color` to `NewParcel`.',
  ),
  plant(
    [['http', `${PARCEL}/properties/color`, 'set', text]],
    'minor minor: Adds the optional response field `color` to `Parcel`.',
  ),
  plant(
    [['http', `${DELIVERY}/properties/color`, 'set', text]],
    'minor minor: Adds the optional webhook field `color` to `Delivery`.',
  ),
  plant(
    [['sockets', `${SUBSCRIBE}/properties/color`, 'set', text]],
    'minor minor: Adds the optional client message field `color` to `Subscribe`.',
  ),
  plant(
    [['sockets', `${LOCATED}/properties/color`, 'set', text]],
    'minor minor: Adds the optional server message field `color` to `Located`.',
  ),
  plant(
    [
      ['http', `${NEW}/properties/color`, 'set', text],
      ['http', `${NEW}/required`, 'set', ['to', 'size', 'color']],
    ],
    'major major: Adds the required request field `color` to `NewParcel`.',
  ),
  plant(
    [
      ['http', `${PARCEL}/properties/color`, 'set', text],
      ['http', `${PARCEL}/required`, 'set', ['id', 'status', 'color']],
    ],
    'minor minor: Adds the required response field `color` to `Parcel`.',
  ),
  plant(
    [
      ['http', `${DELIVERY}/properties/color`, 'set', text],
      ['http', `${DELIVERY}/required`, 'set', ['parcel', 'at', 'color']],
    ],
    'minor minor: Adds the required webhook field `color` to `Delivery`.',
  ),
  plant(
    [
      ['sockets', `${SUBSCRIBE}/properties/color`, 'set', text],
      ['sockets', `${SUBSCRIBE}/required`, 'set', ['type', 'parcel', 'color']],
    ],
    'major major: Adds the required client message field `color` to `Subscribe`.',
  ),
  plant(
    [
      ['sockets', `${LOCATED}/properties/color`, 'set', text],
      ['sockets', `${LOCATED}/required`, 'set', ['type', 'place', 'color']],
    ],
    'minor minor: Adds the required server message field `color` to `Located`.',
  ),
  plant(
    [['http', `${NEW}/properties/options/properties/color`, 'set', text]],
    'minor minor: Adds the request field `color` to `NewParcel.options`, which had no other fields.',
  ),
  plant(
    [['http', `${PARCEL}/properties/seal/properties/color`, 'set', text]],
    'major minor: Adds the response field `color` to `Parcel.seal`, which had no other fields.',
  ),
  plant(
    [['http', `${NEW}/properties/weight`, 'remove']],
    'major major: Removes the optional request field `weight` from `NewParcel`.',
  ),
  plant(
    [['http', `${PARCEL}/properties/price`, 'remove']],
    'minor major: Removes the optional response field `price` from `Parcel`.',
  ),
  plant(
    [['http', `${DELIVERY}/properties/note`, 'remove']],
    'minor major: Removes the optional webhook field `note` from `Delivery`.',
  ),
  plant(
    [['sockets', `${SUBSCRIBE}/properties/since`, 'remove']],
    'major major: Removes the optional client message field `since` from `Subscribe`.',
  ),
  plant(
    [['sockets', `${LOCATED}/properties/speed`, 'remove']],
    'minor major: Removes the optional server message field `speed` from `Located`.',
  ),
  plant(
    [
      ['http', `${NEW}/properties/to`, 'remove'],
      ['http', `${NEW}/required`, 'set', ['size']],
    ],
    'major major: Removes the required request field `to` from `NewParcel`.',
  ),
  plant(
    [
      ['http', `${PARCEL}/properties/id`, 'remove'],
      ['http', `${PARCEL}/required`, 'set', ['status']],
    ],
    'major major: Removes the required response field `id` from `Parcel`.',
  ),
  plant(
    [
      ['http', `${DELIVERY}/properties/parcel`, 'remove'],
      ['http', `${DELIVERY}/required`, 'set', ['at']],
    ],
    'major major: Removes the required webhook field `parcel` from `Delivery`.',
  ),
  plant(
    [
      ['sockets', `${SUBSCRIBE}/properties/parcel`, 'remove'],
      ['sockets', `${SUBSCRIBE}/required`, 'set', ['type']],
    ],
    'major major: Removes the required client message field `parcel` from `Subscribe`.',
  ),
  plant(
    [
      ['sockets', `${LOCATED}/properties/place`, 'remove'],
      ['sockets', `${LOCATED}/required`, 'set', ['type']],
    ],
    'major major: Removes the required server message field `place` from `Located`.',
  ),
  plant(
    [['http', `${NEW}/properties/weight`, 'rename', 'mass']],
    'major major: Renames the request field `weight` of `NewParcel` to `mass`.',
  ),
  plant(
    [['http', `${PARCEL}/properties/price`, 'rename', 'cost']],
    'major major: Renames the response field `price` of `Parcel` to `cost`.',
  ),
  plant(
    [['http', `${DELIVERY}/properties/note`, 'rename', 'remark']],
    'major major: Renames the webhook field `note` of `Delivery` to `remark`.',
  ),
  plant(
    [['sockets', `${SUBSCRIBE}/properties/since`, 'rename', 'after']],
    'major major: Renames the client message field `since` of `Subscribe` to `after`.',
  ),
  plant(
    [['sockets', `${LOCATED}/properties/speed`, 'rename', 'pace']],
    'major major: Renames the server message field `speed` of `Located` to `pace`.',
  ),
  plant(
    [['http', `${NEW}/required`, 'set', ['to', 'size', 'weight']]],
    'major major: Makes the request field `weight` of `NewParcel` required.',
  ),
  plant(
    [['http', `${PARCEL}/required`, 'set', ['id', 'status', 'price']]],
    'minor minor: Makes the response field `price` of `Parcel` required.',
  ),
  plant(
    [['sockets', `${SUBSCRIBE}/required`, 'set', ['type', 'parcel', 'since']]],
    'major major: Makes the client message field `since` of `Subscribe` required.',
  ),
  plant(
    [['http', `${NEW}/required`, 'set', ['to']]],
    'minor minor: Makes the request field `size` of `NewParcel` optional.',
  ),
  plant(
    [['http', `${PARCEL}/required`, 'set', ['id']]],
    'major major: Makes the response field `status` of `Parcel` optional.',
  ),
  plant(
    [['http', `${DELIVERY}/required`, 'set', ['parcel']]],
    'major major: Makes the webhook field `at` of `Delivery` optional.',
  ),
  plant(
    [['sockets', `${LOCATED}/required`, 'set', ['type']]],
    'major major: Makes the server message field `place` of `Located` optional.',
  ),
  plant(
    [
      [
        'http',
        `${LIST}/responses/200/content/application~1json/schema/properties/page`,
        'set',
        { type: 'integer' },
      ],
    ],
    'minor minor: Adds the optional response field `page` to the response 200 of `listParcels`.',
  ),
]
