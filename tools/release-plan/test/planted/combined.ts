import {
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
  TRACKING,
  type PlantedChange,
} from './plant.ts'

const UNUSED = 'Changes parts of the contract that nothing uses.'
const ADDRESS = { $ref: '#/components/schemas/Address' }
const all = '`listParcels`, `createParcel` and 2 others'

/** Equivalent contracts, several changes at once, and deeply nested changes. */
export const combined: readonly PlantedChange[] = [
  plant(
    'part of an allOf alone stands for itself',
    [['http', `${PARCEL}/properties/address`, 'set', { allOf: [ADDRESS] }]],
    'none none',
    UNUSED,
  ),
  plant(
    'fields moved into an allOf, request',
    [
      [
        'http',
        `${SCHEMAS}/Address`,
        'set',
        {
          allOf: [
            { type: 'object', required: ['city'], properties: { city: text } },
            { properties: { street: text } },
          ],
        },
      ],
    ],
    'none none',
    UNUSED,
  ),
  plant(
    'required field added by an allOf, response',
    [
      [
        'http',
        `${PARCEL}/properties/address`,
        'set',
        { allOf: [ADDRESS, { required: ['zip'], properties: { zip: text } }] },
      ],
    ],
    'minor minor',
    'Adds the required response field `zip` to `Parcel.address`.',
  ),
  plant(
    'required field added by an allOf, request',
    [['http', `${NEW}/allOf`, 'set', [{ required: ['zip'], properties: { zip: text } }]]],
    'major major',
    'Adds the required request field `zip` to `NewParcel`.',
  ),
  plant(
    'field made required by an allOf, client message',
    [['sockets', `${SUBSCRIBE}/allOf`, 'set', [{ required: ['detail'] }]]],
    'major major',
    'Makes the client message field `detail` of `Subscribe` required.',
  ),
  plant(
    'optional field added by an allOf, server message',
    [['sockets', `${LOCATED}/allOf`, 'set', [{ properties: { extra: text } }]]],
    'minor minor',
    'Adds the optional server message field `extra` to `Located`.',
  ),
  plant(
    'part that closes its own fields added, request',
    [['http', `${NEW}/allOf`, 'set', [{ additionalProperties: false, properties: { to: text } }]]],
    'major major',
    'Requires `NewParcel` to match a schema without a name too (request).',
  ),
  plant(
    'types with null written as alternatives',
    [
      [
        'http',
        `${NEW}/properties/comment`,
        'set',
        { anyOf: [{ type: 'string', maxLength: 200 }, { type: 'null' }] },
      ],
    ],
    'none none',
    UNUSED,
  ),
  plant(
    'field moved to a type and narrowed, request',
    [
      ['http', `${SCHEMAS}/Size`, 'set', { type: 'string', enum: ['small'] }],
      ['http', `${NEW}/properties/size`, 'set', { $ref: '#/components/schemas/Size' }],
    ],
    'major major',
    'Adds the type `Size`.',
    'Removes the value `large` from `Size` (request).',
  ),
  plant(
    'type written out where it is used',
    [
      [
        'http',
        `${PARCEL}/properties/address`,
        'set',
        { type: 'object', required: ['city'], properties: { city: text, street: text } },
      ],
      ['http', `${SCHEMAS}/Address`, 'remove'],
    ],
    'none major',
    'Removes the type `Address`.',
  ),
  plant(
    'items of a recursive type replaced, response',
    [['http', `${PARCEL}/properties/parts/items`, 'set', text]],
    'major major',
    'Changes the type of `Parcel.parts[]` from `object` to `string` (response).',
  ),
  plant(
    'limit and obligation of one field, request',
    [
      ['http', `${NEW}/properties/weight/maximum`, 'set', 60],
      ['http', `${NEW}/required`, 'set', ['to', 'size', 'weight']],
    ],
    'major major',
    'Makes the request field `weight` of `NewParcel` required.',
    'Relaxes `maximum` of `NewParcel.weight` from 50 to 60 (request).',
  ),
  plant(
    'limit that every value fulfills added, request',
    [['http', `${NEW}/properties/to/minLength`, 'set', 0]],
    'none none',
    UNUSED,
  ),
  plant(
    'scope of a credential added',
    [['http', `${GET}/security`, 'set', [{ apiKey: ['write'] }]]],
    'major none',
    'Requires the scope `write` of `apiKey` for `getParcel`.',
  ),
  plant(
    'credential no longer needed',
    [['http', `${GET}/security`, 'set', []]],
    'minor minor',
    'Makes the credential of `getParcel` optional.',
  ),
  plant(
    'credentials needed together',
    [['http', `${GET}/security`, 'set', [{ apiKey: [], bearer: [] }]]],
    'major major',
    'Accepts `apiKey` with `bearer` as the credential of `getParcel`.',
    'No longer accepts `apiKey` as the credential of `getParcel`.',
  ),
  plant(
    'second server added',
    [['http', '/servers/1', 'set', { url: 'https://b.example' }]],
    'minor minor',
    `Adds the server \`https://b.example\` to ${all}.`,
  ),
  plant(
    'first server moved to the second place',
    [
      [
        'http',
        '/servers/1',
        'set',
        { url: '{base_url}', variables: { base_url: { default: 'https://parcels.example' } } },
      ],
      ['http', '/servers/0', 'set', { url: 'https://b.example' }],
    ],
    'major major',
    `Changes the server of ${all} from \`{base_url}\` (base_url: https://parcels.example) to \`https://b.example\`.`,
  ),
  plant(
    'second server of a channel added',
    [['sockets', '/servers/other', 'set', { host: 'b.example', protocol: 'wss' }]],
    'minor minor',
    'Adds the server `wss://b.example` to `log`.',
    'Adds the server `wss://b.example` to `tracking`.',
  ),
  plant(
    'protocol of a handshake changed',
    [['sockets', '/servers/main/protocol', 'set', 'ws']],
    'major major',
    'Changes the server of `log` from `wss://parcels.example` to `ws://parcels.example`.',
    'Changes the server of `tracking` from `wss://parcels.example` to `ws://parcels.example`.',
  ),
  plant(
    'reply moved to another channel',
    [['sockets', '/operations/hearSubscription/reply/channel/$ref', 'set', '#/channels/log']],
    'major major',
    'No longer documents a reply to `subscribe` of `tracking`.',
    'Removes the server message `refused` from `tracking`.',
    'Removes the server message `subscribed` from `tracking`.',
  ),
  plant(
    'message moved to a component',
    [
      [
        'sockets',
        '/components/messages',
        'set',
        {
          ping: { payload: { type: 'object', required: ['type'], properties: { type: { const: 'ping' } } } },
        },
      ],
      ['sockets', `${TRACKING}/messages/ping`, 'set', { $ref: '#/components/messages/ping' }],
    ],
    'none none',
    UNUSED,
  ),
  plant(
    'parameter moved from the query to a header',
    [['http', `${LIST}/parameters/0/in`, 'set', 'header']],
    'major major',
    'Adds the optional header `limit` to `listParcels`.',
    'Removes the query parameter `limit` from `listParcels`.',
  ),
  plant(
    'parameter moved to its path',
    [
      ['http', `${LIST}/parameters/0`, 'remove'],
      [
        'http',
        '/paths/~1parcels/parameters',
        'set',
        [{ name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100 } }],
      ],
    ],
    'minor minor',
    'Adds the optional query parameter `limit` to `createParcel`.',
  ),
  plant(
    'required cookie added',
    [['http', `${LIST}/parameters/4`, 'set', { name: 'sid', in: 'cookie', required: true, schema: text }]],
    'major major',
    'Adds the required cookie `sid` to `listParcels`.',
  ),
  plant(
    'style of a parameter said',
    [
      ['http', `${LIST}/parameters/1/style`, 'set', 'form'],
      ['http', `${LIST}/parameters/1/explode`, 'set', true],
    ],
    'none none',
    UNUSED,
  ),
  plant(
    'type of a response header changed',
    [['http', `${LIST}/responses/200/headers/X-Total/schema/type`, 'set', 'string']],
    'major major',
    'Changes the type of the response header `X-Total` of the response 200 of `listParcels` from `integer` to `string`.',
  ),
  plant(
    'body of an error documented',
    [['http', `${CREATE}/responses/409/content`, 'set', { 'application/json': { schema: text } }]],
    'minor minor',
    'Documents the body of the response 409 of `createParcel`.',
  ),
  plant(
    'body of the response to a webhook added',
    [['http', `${HOOK}/responses/204/content`, 'set', { 'application/json': { schema: text } }]],
    'major none',
    'Adds a required body to the webhook response 204 of `parcelDelivered`.',
  ),
  plant(
    'response moved to a component and widened',
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
    'major major',
    'Adds `Spare` to the alternatives of the response `Made`.',
  ),
  plant(
    'pagination added',
    [
      [
        'http',
        `${LIST}/x-pagination`,
        'set',
        { by: 'cursor', items: '/items', parameter: 'after', next: '/next' },
      ],
    ],
    'minor minor',
    'Documents how to get the pages of `listParcels`.',
  ),
  plant(
    'alternative and the value that selects it added, response',
    [
      ['http', `${SCHEMAS}/Flat`, 'set', { type: 'object', properties: { by: { const: 'none' } } }],
      ['http', `${FARE}/oneOf/2`, 'set', { $ref: '#/components/schemas/Flat' }],
      ['http', `${FARE}/discriminator/mapping/none`, 'set', '#/components/schemas/Flat'],
    ],
    'major major',
    'Adds `Flat` to the alternatives of `Parcel.fare` (response).',
    'Adds the type `Flat`.',
  ),
  plant(
    'alternative and the value that selects it removed, response',
    [
      ['http', `${FARE}/oneOf/1`, 'remove'],
      ['http', `${FARE}/discriminator/mapping/size`, 'remove'],
      ['http', `${SCHEMAS}/Measured`, 'remove'],
    ],
    'minor major',
    'Removes `Measured` from the alternatives of `Parcel.fare` (response).',
    'Removes the type `Measured`.',
  ),
  plant(
    'value that selects an alternative renamed, response',
    [['http', `${FARE}/discriminator/mapping/size`, 'rename', 'volume']],
    'major major',
    'Changes how `Parcel.fare` selects one of its alternatives (response).',
  ),
  plant(
    'alternative named without its path',
    [['http', `${FARE}/discriminator/mapping/size`, 'set', 'Measured']],
    'none none',
    UNUSED,
  ),
]
