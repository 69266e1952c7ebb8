import {
  ADDRESS,
  CREATE,
  FARE,
  GET,
  HOOK,
  LIST,
  LOCATED,
  NEW,
  PARCEL,
  plant,
  SCHEMAS,
  SUBSCRIBE,
  text,
  type PlantedChange,
} from './plant.ts'

const all = '`listParcels`, `createParcel` and 2 others'

/** Equivalent contracts, several changes at once, and deeply nested changes. */
export const combined: readonly PlantedChange[] = [
  plant(
    [
      [
        'http',
        `${PARCEL}/properties/address`,
        'set',
        { allOf: [ADDRESS, { required: ['zip'], properties: { zip: text } }] },
      ],
    ],
    'minor minor: Adds the required response field `zip` to `Parcel.address`.',
  ),
  plant(
    [['http', `${NEW}/allOf`, 'set', [{ required: ['zip'], properties: { zip: text } }]]],
    'major major: Adds the required request field `zip` to `NewParcel`.',
  ),
  plant(
    [['sockets', `${SUBSCRIBE}/allOf`, 'set', [{ required: ['detail'] }]]],
    'major major: Makes the client message field `detail` of `Subscribe` required.',
  ),
  plant(
    [['sockets', `${LOCATED}/allOf`, 'set', [{ properties: { extra: text } }]]],
    'minor minor: Adds the optional server message field `extra` to `Located`.',
  ),
  plant(
    [['http', `${NEW}/allOf`, 'set', [{ additionalProperties: false, properties: { to: text } }]]],
    'major major: Requires `NewParcel` to match a schema without a name too (request).',
  ),
  plant(
    [
      ['http', `${SCHEMAS}/Size`, 'set', { type: 'string', enum: ['small'] }],
      ['http', `${NEW}/properties/size`, 'set', { $ref: '#/components/schemas/Size' }],
    ],
    'none minor: Adds the type `Size`.',
    'major major: Removes the value `large` from `Size` (request).',
  ),
  plant(
    [
      [
        'http',
        `${PARCEL}/properties/address`,
        'set',
        { type: 'object', required: ['city'], properties: { city: text, street: text } },
      ],
      ['http', `${SCHEMAS}/Address`, 'remove'],
    ],
    'none major: Removes the type `Address`.',
  ),
  plant(
    [['http', `${PARCEL}/properties/parts/items`, 'set', text]],
    'major major: Changes the type of `Parcel.parts[]` from `object` to `string` (response).',
  ),
  plant(
    [
      ['http', `${NEW}/properties/weight/maximum`, 'set', 60],
      ['http', `${NEW}/required`, 'set', ['to', 'size', 'weight']],
    ],
    'major major: Makes the request field `weight` of `NewParcel` required.',
    'minor none: Relaxes `maximum` of `NewParcel.weight` from 50 to 60 (request).',
  ),
  plant(
    [['http', `${GET}/security`, 'set', [{ apiKey: ['write'] }]]],
    'major none: Requires the scope `write` of `apiKey` for `getParcel`.',
  ),
  plant(
    [['http', `${GET}/security`, 'set', []]],
    'minor minor: Makes the credential of `getParcel` optional.',
  ),
  plant(
    [['http', `${GET}/security`, 'set', [{ apiKey: [], bearer: [] }]]],
    'minor minor: Accepts `apiKey` with `bearer` as the credential of `getParcel`.',
    'major major: No longer accepts `apiKey` as the credential of `getParcel`.',
  ),
  plant(
    [['http', '/servers/1', 'set', { url: 'https://b.example' }]],
    `minor minor: Adds the server \`https://b.example\` to ${all}.`,
  ),
  plant(
    [
      [
        'http',
        '/servers/1',
        'set',
        { url: '{base_url}', variables: { base_url: { default: 'https://parcels.example' } } },
      ],
      ['http', '/servers/0', 'set', { url: 'https://b.example' }],
    ],
    `major major: Changes the server of ${all} from \`{base_url}\` (base_url: https://parcels.example) to \`https://b.example\`.`,
  ),
  plant(
    [['sockets', '/servers/other', 'set', { host: 'b.example', protocol: 'wss' }]],
    'minor minor: Adds the server `wss://b.example` to `log`.',
    'minor minor: Adds the server `wss://b.example` to `tracking`.',
  ),
  plant(
    [['sockets', '/servers/main/protocol', 'set', 'ws']],
    'major major: Changes the server of `log` from `wss://parcels.example` to `ws://parcels.example`.',
    'major major: Changes the server of `tracking` from `wss://parcels.example` to `ws://parcels.example`.',
  ),
  plant(
    [['sockets', '/operations/hearSubscription/reply/channel/$ref', 'set', '#/channels/log']],
    'major major: No longer documents a reply to `subscribe` of `tracking`.',
    'major major: Removes the server message `refused` from `tracking`.',
    'major major: Removes the server message `subscribed` from `tracking`.',
  ),
  plant(
    [['http', `${LIST}/parameters/0/in`, 'set', 'header']],
    'minor minor: Adds the optional header `limit` to `listParcels`.',
    'major major: Removes the query parameter `limit` from `listParcels`.',
  ),
  plant(
    [
      ['http', `${LIST}/parameters/0`, 'remove'],
      [
        'http',
        '/paths/~1parcels/parameters',
        'set',
        [{ name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100 } }],
      ],
    ],
    'minor minor: Adds the optional query parameter `limit` to `createParcel`.',
  ),
  plant(
    [['http', `${LIST}/parameters/4`, 'set', { name: 'sid', in: 'cookie', required: true, schema: text }]],
    'major major: Adds the required cookie `sid` to `listParcels`.',
  ),
  plant(
    [['http', `${LIST}/responses/200/headers/X-Total/schema/type`, 'set', 'string']],
    'major major: Changes the type of the response header `X-Total` of the response 200 of `listParcels` from `integer` to `string`.',
  ),
  plant(
    [['http', `${CREATE}/responses/409/content`, 'set', { 'application/json': { schema: text } }]],
    'minor minor: Documents the body of the response 409 of `createParcel`.',
  ),
  plant(
    [['http', `${HOOK}/responses/204/content`, 'set', { 'application/json': { schema: text } }]],
    'major none: Adds a required body to the webhook response 204 of `parcelDelivered`.',
  ),
  plant(
    [
      [
        'http',
        '/components/responses',
        'set',
        {
          Made: {
            description: 'Accepted.',
            content: {
              'application/json': {
                schema: {
                  anyOf: [{ $ref: '#/components/schemas/Parcel' }, { $ref: '#/components/schemas/Spare' }],
                },
              },
            },
          },
        },
      ],
      ['http', `${CREATE}/responses/201`, 'set', { $ref: '#/components/responses/Made' }],
    ],
    'major major: Adds `Spare` to the alternatives of the response `Made`.',
  ),
  plant(
    [
      [
        'http',
        `${LIST}/x-pagination`,
        'set',
        { by: 'cursor', items: '/items', parameter: 'after', next: '/next' },
      ],
    ],
    'minor minor: Documents how to get the pages of `listParcels`.',
  ),
  plant(
    [
      ['http', `${SCHEMAS}/Flat`, 'set', { type: 'object', properties: { by: { const: 'none' } } }],
      ['http', `${FARE}/oneOf/2`, 'set', { $ref: '#/components/schemas/Flat' }],
      ['http', `${FARE}/discriminator/mapping/none`, 'set', '#/components/schemas/Flat'],
    ],
    'major major: Adds `Flat` to the alternatives of `Parcel.fare` (response).',
    'none minor: Adds the type `Flat`.',
  ),
  plant(
    [
      ['http', `${FARE}/oneOf/1`, 'remove'],
      ['http', `${FARE}/discriminator/mapping/size`, 'remove'],
      ['http', `${SCHEMAS}/Measured`, 'remove'],
    ],
    'minor major: Removes `Measured` from the alternatives of `Parcel.fare` (response).',
    'none major: Removes the type `Measured`.',
  ),
  plant(
    [['http', `${FARE}/discriminator/mapping/size`, 'rename', 'volume']],
    'major major: Changes how `Parcel.fare` selects one of its alternatives (response).',
  ),
]
