import { DELIVERY, LIST, LOCATED, NEW, PARCEL, plant, SUBSCRIBE, text, type PlantedChange } from './plant.ts'

/** Fields, in each direction and on each transport. */
export const fields: readonly PlantedChange[] = [
  plant(
    'optional field added, request',
    [['http', `${NEW}/properties/color`, 'set', text]],
    'minor minor',
    'Adds the optional request field `color` to `NewParcel`.',
  ),
  plant(
    'optional field added, response',
    [['http', `${PARCEL}/properties/color`, 'set', text]],
    'minor minor',
    'Adds the optional response field `color` to `Parcel`.',
  ),
  plant(
    'optional field added, webhook',
    [['http', `${DELIVERY}/properties/color`, 'set', text]],
    'minor minor',
    'Adds the optional webhook field `color` to `Delivery`.',
  ),
  plant(
    'optional field added, client message',
    [['sockets', `${SUBSCRIBE}/properties/color`, 'set', text]],
    'minor minor',
    'Adds the optional client message field `color` to `Subscribe`.',
  ),
  plant(
    'optional field added, server message',
    [['sockets', `${LOCATED}/properties/color`, 'set', text]],
    'minor minor',
    'Adds the optional server message field `color` to `Located`.',
  ),
  plant(
    'required field added, request',
    [
      ['http', `${NEW}/properties/color`, 'set', text],
      ['http', `${NEW}/required`, 'set', ['to', 'size', 'color']],
    ],
    'major major',
    'Adds the required request field `color` to `NewParcel`.',
  ),
  plant(
    'required field added, response',
    [
      ['http', `${PARCEL}/properties/color`, 'set', text],
      ['http', `${PARCEL}/required`, 'set', ['id', 'status', 'color']],
    ],
    'minor minor',
    'Adds the required response field `color` to `Parcel`.',
  ),
  plant(
    'required field added, webhook',
    [
      ['http', `${DELIVERY}/properties/color`, 'set', text],
      ['http', `${DELIVERY}/required`, 'set', ['parcel', 'at', 'color']],
    ],
    'minor minor',
    'Adds the required webhook field `color` to `Delivery`.',
  ),
  plant(
    'required field added, client message',
    [
      ['sockets', `${SUBSCRIBE}/properties/color`, 'set', text],
      ['sockets', `${SUBSCRIBE}/required`, 'set', ['type', 'parcel', 'color']],
    ],
    'major major',
    'Adds the required client message field `color` to `Subscribe`.',
  ),
  plant(
    'required field added, server message',
    [
      ['sockets', `${LOCATED}/properties/color`, 'set', text],
      ['sockets', `${LOCATED}/required`, 'set', ['type', 'place', 'color']],
    ],
    'minor minor',
    'Adds the required server message field `color` to `Located`.',
  ),
  plant(
    'field added to a closed object, request',
    [['http', `${NEW}/properties/options/properties/color`, 'set', text]],
    'minor minor',
    'Adds the request field `color` to `NewParcel.options`, which had no other fields.',
  ),
  plant(
    'field added to a closed object, response',
    [['http', `${PARCEL}/properties/seal/properties/color`, 'set', text]],
    'major minor',
    'Adds the response field `color` to `Parcel.seal`, which had no other fields.',
  ),
  plant(
    'optional field removed, request',
    [['http', `${NEW}/properties/weight`, 'remove']],
    'major major',
    'Removes the optional request field `weight` from `NewParcel`.',
  ),
  plant(
    'optional field removed, response',
    [['http', `${PARCEL}/properties/price`, 'remove']],
    'minor major',
    'Removes the optional response field `price` from `Parcel`.',
  ),
  plant(
    'optional field removed, webhook',
    [['http', `${DELIVERY}/properties/note`, 'remove']],
    'minor major',
    'Removes the optional webhook field `note` from `Delivery`.',
  ),
  plant(
    'optional field removed, client message',
    [['sockets', `${SUBSCRIBE}/properties/since`, 'remove']],
    'major major',
    'Removes the optional client message field `since` from `Subscribe`.',
  ),
  plant(
    'optional field removed, server message',
    [['sockets', `${LOCATED}/properties/speed`, 'remove']],
    'minor major',
    'Removes the optional server message field `speed` from `Located`.',
  ),
  plant(
    'required field removed, request',
    [
      ['http', `${NEW}/properties/to`, 'remove'],
      ['http', `${NEW}/required`, 'set', ['size']],
    ],
    'major major',
    'Removes the required request field `to` from `NewParcel`.',
  ),
  plant(
    'required field removed, response',
    [
      ['http', `${PARCEL}/properties/id`, 'remove'],
      ['http', `${PARCEL}/required`, 'set', ['status']],
    ],
    'major major',
    'Removes the required response field `id` from `Parcel`.',
  ),
  plant(
    'required field removed, webhook',
    [
      ['http', `${DELIVERY}/properties/parcel`, 'remove'],
      ['http', `${DELIVERY}/required`, 'set', ['at']],
    ],
    'major major',
    'Removes the required webhook field `parcel` from `Delivery`.',
  ),
  plant(
    'required field removed, client message',
    [
      ['sockets', `${SUBSCRIBE}/properties/parcel`, 'remove'],
      ['sockets', `${SUBSCRIBE}/required`, 'set', ['type']],
    ],
    'major major',
    'Removes the required client message field `parcel` from `Subscribe`.',
  ),
  plant(
    'required field removed, server message',
    [
      ['sockets', `${LOCATED}/properties/place`, 'remove'],
      ['sockets', `${LOCATED}/required`, 'set', ['type']],
    ],
    'major major',
    'Removes the required server message field `place` from `Located`.',
  ),
  plant(
    'field renamed, request',
    [['http', `${NEW}/properties/weight`, 'rename', 'mass']],
    'major major',
    'Renames the request field `weight` of `NewParcel` to `mass`.',
  ),
  plant(
    'field renamed, response',
    [['http', `${PARCEL}/properties/price`, 'rename', 'cost']],
    'major major',
    'Renames the response field `price` of `Parcel` to `cost`.',
  ),
  plant(
    'field renamed, webhook',
    [['http', `${DELIVERY}/properties/note`, 'rename', 'remark']],
    'major major',
    'Renames the webhook field `note` of `Delivery` to `remark`.',
  ),
  plant(
    'field renamed, client message',
    [['sockets', `${SUBSCRIBE}/properties/since`, 'rename', 'after']],
    'major major',
    'Renames the client message field `since` of `Subscribe` to `after`.',
  ),
  plant(
    'field renamed, server message',
    [['sockets', `${LOCATED}/properties/speed`, 'rename', 'pace']],
    'major major',
    'Renames the server message field `speed` of `Located` to `pace`.',
  ),
  plant(
    'field made required, request',
    [['http', `${NEW}/required`, 'set', ['to', 'size', 'weight']]],
    'major major',
    'Makes the request field `weight` of `NewParcel` required.',
  ),
  plant(
    'field made required, response',
    [['http', `${PARCEL}/required`, 'set', ['id', 'status', 'price']]],
    'minor minor',
    'Makes the response field `price` of `Parcel` required.',
  ),
  plant(
    'field made required, client message',
    [['sockets', `${SUBSCRIBE}/required`, 'set', ['type', 'parcel', 'since']]],
    'major major',
    'Makes the client message field `since` of `Subscribe` required.',
  ),
  plant(
    'field made optional, request',
    [['http', `${NEW}/required`, 'set', ['to']]],
    'minor minor',
    'Makes the request field `size` of `NewParcel` optional.',
  ),
  plant(
    'field made optional, response',
    [['http', `${PARCEL}/required`, 'set', ['id']]],
    'major major',
    'Makes the response field `status` of `Parcel` optional.',
  ),
  plant(
    'field made optional, webhook',
    [['http', `${DELIVERY}/required`, 'set', ['parcel']]],
    'major major',
    'Makes the webhook field `at` of `Delivery` optional.',
  ),
  plant(
    'field made optional, server message',
    [['sockets', `${LOCATED}/required`, 'set', ['type']]],
    'major major',
    'Makes the server message field `place` of `Located` optional.',
  ),
  plant(
    'field of an inline body added, response',
    [
      [
        'http',
        `${LIST}/responses/200/content/application~1json/schema/properties/page`,
        'set',
        { type: 'integer' },
      ],
    ],
    'minor minor',
    'Adds the optional response field `page` to the response 200 of `listParcels`.',
  ),
]
