import { DELIVERY, LOCATED, NEW, PARCEL, plant, SCHEMAS, SUBSCRIBE, type PlantedChange } from './plant.ts'

/** Types and values. */
export const values: readonly PlantedChange[] = [
  plant(
    [['http', `${NEW}/properties/comment/type`, 'set', 'string']],
    'major major: No longer allows `null` for `NewParcel.comment` (request).',
  ),
  plant(
    [['http', `${NEW}/properties/to/type`, 'set', ['string', 'null']]],
    'minor minor: Also allows `null` for `NewParcel.to` (request).',
  ),
  plant(
    [['http', `${PARCEL}/properties/price/type`, 'set', ['integer', 'null']]],
    'major major: Also allows `null` for `Parcel.price` (response).',
  ),
  plant(
    [['http', `${DELIVERY}/properties/note/type`, 'set', ['string', 'null']]],
    'major major: Also allows `null` for `Delivery.note` (webhook).',
  ),
  plant(
    [['sockets', `${LOCATED}/properties/place/type`, 'set', ['string', 'null']]],
    'major major: Also allows `null` for `Located.place` (server message).',
  ),
  plant(
    [['sockets', `${SUBSCRIBE}/properties/parcel/type`, 'set', ['string', 'integer']]],
    'minor minor: Also allows `integer` for `Subscribe.parcel` (client message).',
  ),
  plant(
    [['http', `${NEW}/properties/to/type`, 'set', 'integer']],
    'major major: Changes the type of `NewParcel.to` from `string` to `integer` (request).',
  ),
  plant(
    [['http', `${PARCEL}/properties/id/type`, 'set', 'integer']],
    'major major: Changes the type of `Parcel.id` from `string` to `integer` (response).',
  ),
  plant(
    [['http', `${PARCEL}/properties/price/type`, 'set', 'number']],
    'major none: Relaxes `type` of `Parcel.price` from integer to number (response).',
  ),
  plant(
    [['http', `${NEW}/properties/size/enum`, 'set', ['small', 'large', 'huge']]],
    'minor minor: Adds the value `huge` to `NewParcel.size` (request).',
  ),
  plant(
    [['http', `${SCHEMAS}/Status/enum`, 'set', ['waiting', 'moving', 'delivered', 'lost', 'burnt']]],
    'major major: Adds the value `burnt` to `Status` (response and server message).',
  ),
  plant(
    [['http', `${DELIVERY}/properties/mood/enum`, 'set', ['glad', 'cross', 'calm']]],
    'major major: Adds the value `calm` to `Delivery.mood` (webhook).',
  ),
  plant(
    [['sockets', `${SUBSCRIBE}/properties/detail/enum`, 'set', ['low', 'high', 'full']]],
    'minor minor: Adds the value `full` to `Subscribe.detail` (client message).',
  ),
  plant(
    [['http', `${NEW}/properties/size/enum`, 'set', ['small']]],
    'major major: Removes the value `large` from `NewParcel.size` (request).',
  ),
  plant(
    [['http', `${DELIVERY}/properties/mood/enum`, 'set', ['glad']]],
    'minor major: Removes the value `cross` from `Delivery.mood` (webhook).',
  ),
  plant(
    [['sockets', `${SUBSCRIBE}/properties/detail/enum`, 'set', ['low']]],
    'major major: Removes the value `high` from `Subscribe.detail` (client message).',
  ),
  plant(
    [['http', `${SCHEMAS}/Status/enum`, 'set', ['waiting', 'travelling', 'delivered', 'lost']]],
    'major major: Adds the value `travelling` to `Status` (response and server message).',
    'minor major: Removes the value `moving` from `Status` (response and server message).',
  ),
  plant(
    [['sockets', `${SUBSCRIBE}/properties/type/const`, 'set', 'follow']],
    'major major: Changes the only value of `Subscribe.type` from `subscribe` to `follow` (client message).',
  ),
  plant(
    [['http', '/components/parameters/Version/schema/const', 'set', '2']],
    'major none: Changes the only value of the header `X-Version` from `1` to `2`; clients send it automatically.',
  ),
  plant(
    [['http', `${NEW}/properties/speed/enum`, 'set', ['slow', 'fast', 'faster']]],
    'minor minor: Adds the value `faster` to the open enum `NewParcel.speed` (request).',
  ),
  plant(
    [['http', `${SCHEMAS}/Carrier/enum`, 'set', ['boat', 'bike', 'drone']]],
    'minor minor: Adds the value `drone` to the open enum `Carrier` (response).',
  ),
  plant(
    [['http', `${NEW}/properties/speed/enum`, 'set', ['slow']]],
    'major patch: Removes the value `fast` from the open enum `NewParcel.speed` (request).',
  ),
  plant(
    [['http', `${NEW}/properties/size/x-open-enum`, 'set', true]],
    'minor minor: Opens the enum `NewParcel.size` to other values (request).',
  ),
  plant(
    [['http', `${SCHEMAS}/Status/x-open-enum`, 'set', true]],
    'major major: Opens the enum `Status` to other values (response and server message).',
  ),
  plant(
    [['http', `${NEW}/properties/speed/x-open-enum`, 'remove']],
    'major major: Closes the enum `NewParcel.speed` to other values than `slow` and `fast` (request).',
  ),
  plant(
    [['http', `${SCHEMAS}/Carrier/x-open-enum`, 'remove']],
    'minor major: Closes the enum `Carrier` to other values than `boat` and `bike` (response).',
  ),
  plant(
    [['http', `${NEW}/properties/to/enum`, 'set', ['Rome']]],
    'major major: Limits `NewParcel.to` to `Rome` (request).',
  ),
  plant(
    [['http', `${SCHEMAS}/Status/enum`, 'remove']],
    'major major: No longer limits `Status` to `waiting`, `moving`, `delivered` and `lost` (response and server message).',
  ),
  plant(
    [['http', `${NEW}/properties/weight/maximum`, 'set', 40]],
    'major none: Tightens `maximum` of `NewParcel.weight` from 50 to 40 (request).',
  ),
  plant(
    [['http', `${NEW}/properties/weight/maximum`, 'set', 60]],
    'minor none: Relaxes `maximum` of `NewParcel.weight` from 50 to 60 (request).',
  ),
  plant(
    [['http', `${NEW}/properties/to/minLength`, 'set', 1]],
    'major none: Tightens `minLength` of `NewParcel.to` to 1 (request).',
  ),
  plant(
    [['http', `${NEW}/properties/comment/maxLength`, 'remove']],
    'minor none: Relaxes `maxLength` of `NewParcel.comment` (it was 200) (request).',
  ),
  plant(
    [['http', `${PARCEL}/properties/price/minimum`, 'set', 1]],
    'minor none: Tightens `minimum` of `Parcel.price` from 0 to 1 (response).',
  ),
  plant(
    [['http', `${PARCEL}/properties/price/minimum`, 'set', -1]],
    'major none: Relaxes `minimum` of `Parcel.price` from 0 to -1 (response).',
  ),
  plant(
    [['sockets', `${SUBSCRIBE}/properties/since/minimum`, 'set', 5]],
    'major none: Tightens `minimum` of `Subscribe.since` from 0 to 5 (client message).',
  ),
  plant(
    [['sockets', `${LOCATED}/properties/speed/minimum`, 'remove']],
    'major none: Relaxes `minimum` of `Located.speed` (it was 0) (server message).',
  ),
  plant(
    [['http', `${PARCEL}/properties/paidAt/format`, 'set', 'date']],
    'major none: Changes `format` of `Parcel.paidAt` from `date-time` to `date` (response).',
  ),
  plant(
    [['http', `${NEW}/properties/to/pattern`, 'set', '^[a-z]+$']],
    'major none: Tightens `pattern` of `NewParcel.to` to `^[a-z]+$` (request).',
  ),
  plant(
    [['http', `${SCHEMAS}/NewParcel/additionalProperties`, 'set', false]],
    'major none: No longer allows unlisted fields in `NewParcel` (request).',
  ),
  plant(
    [['http', `${PARCEL}/properties/seal/additionalProperties`, 'remove']],
    'major none: Allows unlisted fields in `Parcel.seal` (response).',
  ),
  plant(
    [['http', `${NEW}/properties/target/anyOf/2`, 'set', { type: 'boolean' }]],
    'minor minor: Adds `boolean` to the alternatives of `NewParcel.target` (request).',
  ),
  plant(
    [['http', `${NEW}/properties/target/anyOf/1`, 'remove']],
    'major major: Removes `integer` from the alternatives of `NewParcel.target` (request).',
  ),
  plant(
    [['http', `${PARCEL}/properties/proof/anyOf/2`, 'set', { type: 'boolean' }]],
    'major major: Adds `boolean` to the alternatives of `Parcel.proof` (response).',
  ),
  plant(
    [['http', `${PARCEL}/properties/proof/anyOf/1`, 'remove']],
    'minor minor: No longer allows `null` for `Parcel.proof` (response).',
  ),
  plant(
    [
      [
        'http',
        `${PARCEL}/properties/address`,
        'set',
        { anyOf: [{ $ref: '#/components/schemas/Address' }, { type: 'null' }] },
      ],
    ],
    'major major: Also allows `null` for `Parcel.address` (response).',
  ),
  plant(
    [['http', `${NEW}/properties/tags/items`, 'set', { type: 'string', enum: ['a'] }]],
    'major major: Limits `NewParcel.tags[]` to `a` (request).',
  ),
  plant(
    [['http', `${NEW}/properties/speed/default`, 'set', 'fast']],
    'major none: Changes the default of `NewParcel.speed` from `slow` to `fast` (request).',
  ),
  plant(
    [['http', `${NEW}/properties/size/default`, 'set', 'small']],
    'minor none: Documents the default `small` of `NewParcel.size` (request).',
  ),
  plant(
    [['http', `${NEW}/properties/to/x-secret`, 'set', true]],
    'none minor: Marks `NewParcel.to` as a secret.',
  ),
  plant(
    [['http', `${NEW}/properties/pin/x-secret`, 'remove']],
    'none major: No longer marks `NewParcel.pin` as a secret.',
  ),
  plant([['http', `${NEW}/properties/to/deprecated`, 'set', true]], 'none minor: Deprecates `NewParcel.to`.'),
  plant(
    [['http', `${SCHEMAS}/Status/x-transitions/1`, 'set', { from: 'moving', to: 'lost' }]],
    'minor none: Documents the transition `moving` to `lost` of `Status`.',
  ),
  plant(
    [['http', `${NEW}/properties/to/contentMediaType`, 'set', 'text/html']],
    'major major: Changes `contentMediaType` of `NewParcel.to`.',
  ),
  plant([['http', `${NEW}/x-mystery`, 'set', 1]], 'major major: Changes `x-mystery` of `NewParcel`.'),
  plant(
    [['http', `${NEW}/description`, 'set', 'Other words.']],
    'none patch: Changes the description of `NewParcel`.',
  ),
]
