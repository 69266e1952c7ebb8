import type { Step } from '../support.ts'
import { CREATE, FARE, GET, HOOK, LIST, NEW, SCHEMAS } from './places.ts'

/** Edits of the parcels contracts that make several changes, with these changes. */
export const severalChanges: readonly (readonly [edit: readonly Step[], ...changes: string[]])[] = [
  [
    [['http', '/paths/~1parcels', 'rename', '/v2/parcels']],
    'major none: Moves the operation `createParcel` from `POST /parcels` to `POST /v2/parcels`.',
    'major none: Moves the operation `listParcels` from `GET /parcels` to `GET /v2/parcels`.',
  ],
  [
    [['http', `${LIST}/parameters/0/name`, 'set', 'max']],
    'minor minor: Adds the optional query parameter `max` to `listParcels`.',
    'major major: Removes the query parameter `limit` from `listParcels`.',
  ],
  [
    // Clients send the value of a required header automatically, but callers pass that of an optional header.
    [
      ['http', '/components/parameters/Version/required', 'remove'],
      ['http', '/components/parameters/Version/schema/const', 'set', '2'],
    ],
    'major major: Changes the only allowed value of the header `X-Version` from `1` to `2`.',
    'minor minor: Makes the header `X-Version` of `listParcels` optional.',
  ],
  [
    [['http', `${GET}/responses/200/content/application~1json`, 'rename', 'application/parcel+json']],
    'major major: Adds the media type `application/parcel+json` to the response 200 of `getParcel`.',
    'major major: Removes the media type `application/json` from the response 200 of `getParcel`.',
  ],
  [
    [['http', `${CREATE}/responses/201`, 'rename', '200']],
    'major major: Adds the success response 200 to `createParcel`.',
    'minor major: Removes the success response 201 from `createParcel`.',
  ],
  [
    [['http', `${GET}/security`, 'set', [{ bearer: [] }]]],
    'minor minor: Accepts `bearer` as the credential of `getParcel`.',
    'major major: No longer accepts `apiKey` as the credential of `getParcel`.',
  ],
  [
    [
      ['http', '/components/securitySchemes/apiKey', 'remove'],
      ['http', '/components/securitySchemes/key', 'set', { type: 'apiKey', in: 'header', name: 'X-Other' }],
      ['http', '/security', 'set', [{ key: [] }]],
    ],
    'minor minor: Accepts `key` as the credential of `listParcels`, `createParcel` and 2 others.',
    'major major: Changes `apiKey` of `parcels/openapi.yaml`.',
    'major major: No longer accepts `apiKey` as the credential of `listParcels`, `createParcel` and 2 others.',
  ],
  [
    [['http', `${HOOK}/responses/204`, 'rename', '200']],
    'minor none: Adds the success response 200 to `parcelDelivered`.',
    'major none: Removes the success response 204 from `parcelDelivered`.',
  ],
  [
    [
      ['http', `${SCHEMAS}/Size`, 'set', { type: 'string', enum: ['small'] }],
      ['http', `${NEW}/properties/size`, 'set', { $ref: '#/components/schemas/Size' }],
    ],
    'none minor: Adds the type `Size`.',
    'major major: Removes the value `large` from `Size` (request).',
  ],
  [
    [
      ['http', `${NEW}/properties/weight/maximum`, 'set', 60],
      ['http', `${NEW}/required`, 'set', ['to', 'size', 'weight']],
    ],
    'major major: Makes the request field `weight` of `NewParcel` required.',
    'minor none: Relaxes `maximum` of `NewParcel.weight` from 50 to 60 (request).',
  ],
  [
    [['http', `${GET}/security`, 'set', [{ apiKey: [], bearer: [] }]]],
    'minor minor: Accepts `apiKey` with `bearer` as the credential of `getParcel`.',
    'major major: No longer accepts `apiKey` as the credential of `getParcel`.',
  ],
  [
    [['sockets', '/servers/other', 'set', { host: 'b.example', protocol: 'wss' }]],
    'minor minor: Adds the server `wss://b.example` to `log`.',
    'minor minor: Adds the server `wss://b.example` to `tracking`.',
  ],
  [
    [['sockets', '/servers/main/protocol', 'set', 'ws']],
    'major major: Changes the server of `log` from `wss://parcels.example` to `ws://parcels.example`.',
    'major major: Changes the server of `tracking` from `wss://parcels.example` to `ws://parcels.example`.',
  ],
  [
    [['sockets', '/operations/hearSubscription/reply/channel/$ref', 'set', '#/channels/log']],
    'major major: No longer documents any reply to the message `subscribe` of `tracking`.',
    'major major: Removes the server message `refused` from `tracking`.',
    'major major: Removes the server message `subscribed` from `tracking`.',
  ],
  [
    [['http', `${LIST}/parameters/0/in`, 'set', 'header']],
    'minor minor: Adds the optional header `limit` to `listParcels`.',
    'major major: Removes the query parameter `limit` from `listParcels`.',
  ],
  [
    [
      ['http', `${SCHEMAS}/Flat`, 'set', { type: 'object', properties: { by: { const: 'none' } } }],
      ['http', `${FARE}/oneOf/2`, 'set', { $ref: '#/components/schemas/Flat' }],
      ['http', `${FARE}/discriminator/mapping/none`, 'set', '#/components/schemas/Flat'],
    ],
    'major major: Adds `Flat` to the alternatives of `Parcel.fare` (response).',
    'none minor: Adds the type `Flat`.',
  ],
  [
    [
      ['http', `${FARE}/oneOf/1`, 'remove'],
      ['http', `${FARE}/discriminator/mapping/size`, 'remove'],
      ['http', `${SCHEMAS}/Measured`, 'remove'],
    ],
    'minor major: Removes `Measured` from the alternatives of `Parcel.fare` (response).',
    'none major: Removes the type `Measured`.',
  ],
  [
    [['sockets', '/operations/hearPing/action', 'set', 'send']],
    'major major: Adds the server message `ping` to `tracking`.',
    'major major: Removes the client message `ping` from `tracking`.',
  ],
  [
    [['sockets', '/servers/main/host', 'set', 'live.example']],
    'major major: Changes the server of `log` from `wss://parcels.example` to `wss://live.example`.',
    'major major: Changes the server of `tracking` from `wss://parcels.example` to `wss://live.example`.',
  ],
  [
    [['http', `${SCHEMAS}/Status/enum`, 'set', ['waiting', 'travelling', 'delivered', 'lost']]],
    'major major: Adds the value `travelling` to `Status` (response and server message).',
    'minor major: Removes the value `moving` from `Status` (response and server message).',
  ],
]
