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
  SCHEMAS,
  SUBSCRIBE,
  text,
  type PlantedChanges,
} from './places.ts'

const all = '`listParcels`, `createParcel` and 2 others'

/** Changes of nested parts, and those that depend on another part of the contract. */
export const combined: PlantedChanges = {
  'minor minor: Adds the required response field `zip` to `Parcel.address`.': [
    [
      'http',
      `${PARCEL}/properties/address`,
      'set',
      { allOf: [ADDRESS, { required: ['zip'], properties: { zip: text } }] },
    ],
  ],
  'major major: Adds the required request field `zip` to `NewParcel`.': [
    ['http', `${NEW}/allOf`, 'set', [{ required: ['zip'], properties: { zip: text } }]],
  ],
  'major major: Makes the client message field `detail` of `Subscribe` required.': [
    ['sockets', `${SUBSCRIBE}/allOf`, 'set', [{ required: ['detail'] }]],
  ],
  'minor minor: Adds the optional server message field `extra` to `Located`.': [
    ['sockets', `${LOCATED}/allOf`, 'set', [{ properties: { extra: text } }]],
  ],
  'major major: Also requires `NewParcel` to match a schema without a name (request).': [
    ['http', `${NEW}/allOf`, 'set', [{ additionalProperties: false, properties: { to: text } }]],
  ],
  'none major: Removes the type `Address`.': [
    [
      'http',
      `${PARCEL}/properties/address`,
      'set',
      { type: 'object', required: ['city'], properties: { city: text, street: text } },
    ],
    ['http', `${SCHEMAS}/Address`, 'remove'],
  ],
  'major major: Changes the type of `Parcel.parts[]` from `object` to `string` (response).': [
    ['http', `${PARCEL}/properties/parts/items`, 'set', text],
  ],
  'major none: For calls to `getParcel`, the credential `apiKey` now needs the scope `write`.': [
    ['http', `${GET}/security`, 'set', [{ apiKey: ['write'] }]],
  ],
  'minor minor: Makes the credential of `getParcel` optional.': [['http', `${GET}/security`, 'set', []]],
  [`minor minor: Adds the server \`https://b.example\` to ${all}.`]: [
    ['http', '/servers/1', 'set', { url: 'https://b.example' }],
  ],
  [`major major: Changes the server of ${all} from \`{base_url}\` (base_url: https://parcels.example) to \`https://b.example\`.`]:
    [
      [
        'http',
        '/servers/1',
        'set',
        { url: '{base_url}', variables: { base_url: { default: 'https://parcels.example' } } },
      ],
      ['http', '/servers/0', 'set', { url: 'https://b.example' }],
    ],
  'minor minor: Adds the optional query parameter `limit` to `createParcel`.': [
    ['http', `${LIST}/parameters/0`, 'remove'],
    [
      'http',
      '/paths/~1parcels/parameters',
      'set',
      [{ name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100 } }],
    ],
  ],
  'major major: Adds the required cookie `sid` to `listParcels`.': [
    ['http', `${LIST}/parameters/4`, 'set', { name: 'sid', in: 'cookie', required: true, schema: text }],
  ],
  'major major: Changes the type of the response header `X-Total` of the response 200 of `listParcels` from `integer` to `string`.':
    [['http', `${LIST}/responses/200/headers/X-Total/schema/type`, 'set', 'string']],
  'minor minor: Documents the body of the response 409 of `createParcel`.': [
    ['http', `${CREATE}/responses/409/content`, 'set', { 'application/json': { schema: text } }],
  ],
  'major none: Adds a required body to the webhook response 204 of `parcelDelivered`.': [
    ['http', `${HOOK}/responses/204/content`, 'set', { 'application/json': { schema: text } }],
  ],
  'major major: Adds `Spare` to the alternatives of the response `Made`.': [
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
  'minor minor: Documents how to get the pages of `listParcels`.': [
    [
      'http',
      `${LIST}/x-pagination`,
      'set',
      { by: 'cursor', items: '/items', parameter: 'after', next: '/next' },
    ],
  ],
  'major major: Changes how `Parcel.fare` selects one of its alternatives (response).': [
    ['http', `${FARE}/discriminator/mapping/size`, 'rename', 'volume'],
  ],
}
