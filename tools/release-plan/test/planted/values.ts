import { DELIVERY, LOCATED, NEW, PARCEL, SCHEMAS, SUBSCRIBE, type PlantedChanges } from './places.ts'

/** Types and values. */
export const values: PlantedChanges = {
  'major major: No longer allows `null` for `NewParcel.comment` (request).': [
    ['http', `${NEW}/properties/comment/type`, 'set', 'string'],
  ],
  'minor minor: Also allows `null` for `NewParcel.to` (request).': [
    ['http', `${NEW}/properties/to/type`, 'set', ['string', 'null']],
  ],
  'major major: Also allows `null` for `Parcel.price` (response).': [
    ['http', `${PARCEL}/properties/price/type`, 'set', ['integer', 'null']],
  ],
  'major major: Also allows `null` for `Delivery.note` (webhook).': [
    ['http', `${DELIVERY}/properties/note/type`, 'set', ['string', 'null']],
  ],
  'major major: Also allows `null` for `Located.place` (server message).': [
    ['sockets', `${LOCATED}/properties/place/type`, 'set', ['string', 'null']],
  ],
  'minor minor: Also allows `integer` for `Subscribe.parcel` (client message).': [
    ['sockets', `${SUBSCRIBE}/properties/parcel/type`, 'set', ['string', 'integer']],
  ],
  'major major: Changes the type of `NewParcel.to` from `string` to `integer` (request).': [
    ['http', `${NEW}/properties/to/type`, 'set', 'integer'],
  ],
  'major major: Changes the type of `Parcel.id` from `string` to `integer` (response).': [
    ['http', `${PARCEL}/properties/id/type`, 'set', 'integer'],
  ],
  'major none: Relaxes `type` of `Parcel.price` from integer to number (response).': [
    ['http', `${PARCEL}/properties/price/type`, 'set', 'number'],
  ],
  'minor minor: Adds the value `huge` to `NewParcel.size` (request).': [
    ['http', `${NEW}/properties/size/enum`, 'set', ['small', 'large', 'huge']],
  ],
  'major major: Adds the value `burnt` to `Status` (response and server message).': [
    ['http', `${SCHEMAS}/Status/enum`, 'set', ['waiting', 'moving', 'delivered', 'lost', 'burnt']],
  ],
  'major major: Adds the value `calm` to `Delivery.mood` (webhook).': [
    ['http', `${DELIVERY}/properties/mood/enum`, 'set', ['glad', 'cross', 'calm']],
  ],
  'minor minor: Adds the value `full` to `Subscribe.detail` (client message).': [
    ['sockets', `${SUBSCRIBE}/properties/detail/enum`, 'set', ['low', 'high', 'full']],
  ],
  'major major: Removes the value `large` from `NewParcel.size` (request).': [
    ['http', `${NEW}/properties/size/enum`, 'set', ['small']],
  ],
  'minor major: Removes the value `cross` from `Delivery.mood` (webhook).': [
    ['http', `${DELIVERY}/properties/mood/enum`, 'set', ['glad']],
  ],
  'major major: Removes the value `high` from `Subscribe.detail` (client message).': [
    ['sockets', `${SUBSCRIBE}/properties/detail/enum`, 'set', ['low']],
  ],
  'major major: Changes the only allowed value of `Subscribe.type` from `subscribe` to `follow` (client message).':
    [['sockets', `${SUBSCRIBE}/properties/type/const`, 'set', 'follow']],
  'major none: Changes the only allowed value of the header `X-Version` from `1` to `2`; new clients send the new value automatically.':
    [['http', '/components/parameters/Version/schema/const', 'set', '2']],
  'minor minor: Adds the value `faster` to the enum `NewParcel.speed`, which also allows other values (request).':
    [['http', `${NEW}/properties/speed/enum`, 'set', ['slow', 'fast', 'faster']]],
  'minor minor: Adds the value `drone` to the enum `Carrier`, which also allows other values (response).': [
    ['http', `${SCHEMAS}/Carrier/enum`, 'set', ['boat', 'bike', 'drone']],
  ],
  'major patch: Removes the value `fast` from the enum `NewParcel.speed`, which also allows other values (request).':
    [['http', `${NEW}/properties/speed/enum`, 'set', ['slow']]],
  'minor minor: Opens the enum `NewParcel.size` to other values (request).': [
    ['http', `${NEW}/properties/size/x-open-enum`, 'set', true],
  ],
  'major major: Opens the enum `Status` to other values (response and server message).': [
    ['http', `${SCHEMAS}/Status/x-open-enum`, 'set', true],
  ],
  'major major: Closes the enum `NewParcel.speed`; it now allows only `slow` and `fast` (request).': [
    ['http', `${NEW}/properties/speed/x-open-enum`, 'remove'],
  ],
  'minor major: Closes the enum `Carrier`; it now allows only `boat` and `bike` (response).': [
    ['http', `${SCHEMAS}/Carrier/x-open-enum`, 'remove'],
  ],
  'major major: Limits `NewParcel.to` to `Rome` (request).': [
    ['http', `${NEW}/properties/to/enum`, 'set', ['Rome']],
  ],
  'major major: No longer limits `Status` to `waiting`, `moving`, `delivered` and `lost` (response and server message).':
    [['http', `${SCHEMAS}/Status/enum`, 'remove']],
  'major none: Tightens `maximum` of `NewParcel.weight` from 50 to 40 (request).': [
    ['http', `${NEW}/properties/weight/maximum`, 'set', 40],
  ],
  'minor none: Relaxes `maximum` of `NewParcel.weight` from 50 to 60 (request).': [
    ['http', `${NEW}/properties/weight/maximum`, 'set', 60],
  ],
  'major none: Tightens `minLength` of `NewParcel.to` to 1 (request).': [
    ['http', `${NEW}/properties/to/minLength`, 'set', 1],
  ],
  'minor none: Relaxes `maxLength` of `NewParcel.comment` from 200 to none (request).': [
    ['http', `${NEW}/properties/comment/maxLength`, 'remove'],
  ],
  'minor none: Tightens `minimum` of `Parcel.price` from 0 to 1 (response).': [
    ['http', `${PARCEL}/properties/price/minimum`, 'set', 1],
  ],
  'major none: Relaxes `minimum` of `Parcel.price` from 0 to -1 (response).': [
    ['http', `${PARCEL}/properties/price/minimum`, 'set', -1],
  ],
  'major none: Tightens `minimum` of `Subscribe.since` from 0 to 5 (client message).': [
    ['sockets', `${SUBSCRIBE}/properties/since/minimum`, 'set', 5],
  ],
  'major none: Relaxes `minimum` of `Located.speed` from 0 to none (server message).': [
    ['sockets', `${LOCATED}/properties/speed/minimum`, 'remove'],
  ],
  'major none: Changes `format` of `Parcel.paidAt` from `date-time` to `date` (response).': [
    ['http', `${PARCEL}/properties/paidAt/format`, 'set', 'date'],
  ],
  'major none: Tightens `pattern` of `NewParcel.to` to `^[a-z]+$` (request).': [
    ['http', `${NEW}/properties/to/pattern`, 'set', '^[a-z]+$'],
  ],
  'major none: No longer allows unlisted fields in `NewParcel` (request).': [
    ['http', `${SCHEMAS}/NewParcel/additionalProperties`, 'set', false],
  ],
  'major none: Allows unlisted fields in `Parcel.seal` (response).': [
    ['http', `${PARCEL}/properties/seal/additionalProperties`, 'remove'],
  ],
  'minor minor: Adds `boolean` to the alternatives of `NewParcel.target` (request).': [
    ['http', `${NEW}/properties/target/anyOf/2`, 'set', { type: 'boolean' }],
  ],
  'major major: Removes `integer` from the alternatives of `NewParcel.target` (request).': [
    ['http', `${NEW}/properties/target/anyOf/1`, 'remove'],
  ],
  'major major: Adds `boolean` to the alternatives of `Parcel.proof` (response).': [
    ['http', `${PARCEL}/properties/proof/anyOf/2`, 'set', { type: 'boolean' }],
  ],
  'minor minor: No longer allows `null` for `Parcel.proof` (response).': [
    ['http', `${PARCEL}/properties/proof/anyOf/1`, 'remove'],
  ],
  'major major: Also allows `null` for `Parcel.address` (response).': [
    [
      'http',
      `${PARCEL}/properties/address`,
      'set',
      { anyOf: [{ $ref: '#/components/schemas/Address' }, { type: 'null' }] },
    ],
  ],
  'major major: Limits `NewParcel.tags[]` to `a` (request).': [
    ['http', `${NEW}/properties/tags/items`, 'set', { type: 'string', enum: ['a'] }],
  ],
  'major none: Changes the default of `NewParcel.speed` from `slow` to `fast` (request).': [
    ['http', `${NEW}/properties/speed/default`, 'set', 'fast'],
  ],
  'minor none: Documents the default `small` of `NewParcel.size` (request).': [
    ['http', `${NEW}/properties/size/default`, 'set', 'small'],
  ],
  'none minor: Marks `NewParcel.to` as a secret.': [['http', `${NEW}/properties/to/x-secret`, 'set', true]],
  'none major: No longer marks `NewParcel.pin` as a secret.': [
    ['http', `${NEW}/properties/pin/x-secret`, 'remove'],
  ],
  'none minor: Deprecates `NewParcel.to`.': [['http', `${NEW}/properties/to/deprecated`, 'set', true]],
  'minor none: Documents the transition `moving` to `lost` of `Status`.': [
    ['http', `${SCHEMAS}/Status/x-transitions/1`, 'set', { from: 'moving', to: 'lost' }],
  ],
  'major major: Changes `contentMediaType` of `NewParcel.to`.': [
    ['http', `${NEW}/properties/to/contentMediaType`, 'set', 'text/html'],
  ],
  'major major: Changes `x-mystery` of `NewParcel`.': [['http', `${NEW}/x-mystery`, 'set', 1]],
  'none patch: Changes the description of `NewParcel`.': [
    ['http', `${NEW}/description`, 'set', 'Other words.'],
  ],
}
