import { CREATE, GET, HOOK, LABEL, LIST, text, type PlantedChanges } from './places.ts'

const parcel = { 'application/json': { schema: { $ref: '#/components/schemas/Parcel' } } }

/** Operations, parameters, bodies, responses, credentials. */
export const calls: PlantedChanges = {
  'minor minor: Adds the operation `listBoxes` (`GET /boxes`).': [
    [
      'http',
      '/paths/~1boxes',
      'set',
      { get: { operationId: 'listBoxes', responses: { 200: { description: 'Boxes.' } } } },
    ],
  ],
  'major major: Removes the operation `setLabel` (`PUT /parcels/{id}`).': [['http', LABEL, 'remove']],
  'none major: Renames the operation `getParcel` to `readParcel`.': [
    ['http', `${GET}/operationId`, 'set', 'readParcel'],
  ],
  'none minor: Deprecates `getParcel`.': [['http', `${GET}/deprecated`, 'set', true]],
  'minor minor: Adds the optional query parameter `sort` to `listParcels`.': [
    ['http', `${LIST}/parameters/4`, 'set', { name: 'sort', in: 'query', schema: text }],
  ],
  'major major: Adds the required query parameter `sort` to `listParcels`.': [
    ['http', `${LIST}/parameters/4`, 'set', { name: 'sort', in: 'query', required: true, schema: text }],
  ],
  'major none: Adds the required header `X-Edition` to `listParcels`; new clients send its only allowed value automatically.':
    [
      [
        'http',
        `${LIST}/parameters/4`,
        'set',
        { name: 'X-Edition', in: 'header', required: true, schema: { const: '2' } },
      ],
    ],
  'major major: Removes the query parameter `limit` from `listParcels`.': [
    ['http', `${LIST}/parameters/0`, 'remove'],
  ],
  'none major: Renames the path parameter `id` of `getParcel` and `setLabel` to `parcel`.': [
    ['http', '/paths/~1parcels~1{id}/parameters/0/name', 'set', 'parcel'],
    ['http', '/paths/~1parcels~1{id}', 'rename', '/parcels/{parcel}'],
  ],
  'major none: Tightens `maximum` of the query parameter `limit` of `listParcels` from 100 to 50.': [
    ['http', `${LIST}/parameters/0/schema/maximum`, 'set', 50],
  ],
  'minor minor: Adds the value `east` to the query parameter `zone` of `listParcels`.': [
    ['http', `${LIST}/parameters/1/schema/enum`, 'set', ['north', 'south', 'east']],
  ],
  'major major: Makes the header `X-Trace` of `listParcels` required.': [
    ['http', '/components/parameters/Trace/required', 'set', true],
  ],
  'minor minor: Makes the query parameter `zone` of `listParcels` optional.': [
    ['http', `${LIST}/parameters/1/required`, 'remove'],
  ],
  'major none: Changes how the query parameter `zone` of `listParcels` is serialized: changes `style` from `form` to `pipeDelimited`.':
    [['http', `${LIST}/parameters/1/style`, 'set', 'pipeDelimited']],
  'major major: Makes the request body of `setLabel` required.': [
    ['http', `${LABEL}/requestBody/required`, 'set', true],
  ],
  'minor minor: Makes the request body of `createParcel` optional.': [
    ['http', `${CREATE}/requestBody/required`, 'set', false],
  ],
  'minor minor: Adds an optional body to `getParcel` (request).': [
    ['http', `${GET}/requestBody`, 'set', { content: { 'application/json': { schema: text } } }],
  ],
  'major major: Removes the body of `setLabel` (request).': [['http', `${LABEL}/requestBody`, 'remove']],
  'minor minor: Adds the media type `text/plain` to `createParcel` (request).': [
    ['http', `${CREATE}/requestBody/content/text~1plain`, 'set', { schema: text }],
  ],
  'major major: Adds the media type `text/plain` to the response 200 of `getParcel`.': [
    ['http', `${GET}/responses/200/content/text~1plain`, 'set', { schema: text }],
  ],
  'major none: No longer accepts `image/jpeg` for the form part `label` of `setLabel`.': [
    [
      'http',
      `${LABEL}/requestBody/content/multipart~1form-data/encoding/label/contentType`,
      'set',
      'image/png',
    ],
  ],
  'major major: Adds the success response 202 to `createParcel`.': [
    ['http', `${CREATE}/responses/202`, 'set', { description: 'Later.' }],
  ],
  'minor minor: Documents the success response 203 of `getParcel`; until now, any success status was allowed.':
    [['http', `${GET}/responses/203`, 'set', { description: 'Later.', content: parcel }]],
  'major major: Adds the success response 203 to `getParcel`.': [
    ['http', `${GET}/responses/203`, 'set', { description: 'Later.' }],
  ],
  'minor minor: Documents the error 422 of `createParcel`.': [
    ['http', `${CREATE}/responses/422`, 'set', { description: 'Wrong.' }],
  ],
  'minor minor: No longer documents the error 409 of `createParcel`.': [
    ['http', `${CREATE}/responses/409`, 'remove'],
  ],
  'minor minor: No longer allows other success statuses in place of the status 200 of `getParcel`.': [
    ['http', `${GET}/responses/200/x-not-shown`, 'remove'],
  ],
  'major major: Removes the body of the response 200 of `getParcel`.': [
    ['http', `${GET}/responses/200/content`, 'remove'],
  ],
  'minor major: Removes the response header `X-Total` from the response 200 of `listParcels`.': [
    ['http', `${LIST}/responses/200/headers/X-Total`, 'remove'],
  ],
  'minor minor: Makes the response header `X-Total` of the response 200 of `listParcels` required.': [
    ['http', `${LIST}/responses/200/headers/X-Total/required`, 'set', true],
  ],
  'minor minor: Adds the response header `X-Age` to the response 200 of `getParcel`.': [
    ['http', `${GET}/responses/200/headers`, 'set', { 'X-Age': { schema: text } }],
  ],
  'minor none: Removes the error header `Retry-After` from the response 429 of `createParcel`.': [
    ['http', `${CREATE}/responses/429/headers/Retry-After`, 'remove'],
  ],
  'major major: Changes the server of `listParcels`, `createParcel` and 2 others from `{base_url}` (base_url: https://parcels.example) to `{base_url}` (base_url: https://parcels.example, one of https://parcels.example).':
    [['http', '/servers/0/variables/base_url/enum', 'set', ['https://parcels.example']]],
  'minor minor: Makes the credential of `listParcels`, `createParcel` and 2 others optional.': [
    ['http', '/security', 'set', [{ apiKey: [] }, {}]],
  ],
  'minor minor: Accepts `bearer` as the credential of `getParcel`.': [
    ['http', `${GET}/security`, 'set', [{ apiKey: [] }, { bearer: [] }]],
  ],
  'none major: Renames the credential `apiKey` to `key`.': [
    ['http', '/components/securitySchemes/apiKey', 'rename', 'key'],
    ['http', '/security', 'set', [{ key: [] }]],
  ],
  'major major: Changes how the credential `apiKey` is sent.': [
    ['http', '/components/securitySchemes/apiKey/name', 'set', 'X-Api-Key'],
  ],
  'major major: Changes the server of `getParcel` from `{base_url}` (base_url: https://parcels.example) to `https://other.example`.':
    [['http', `${GET}/servers`, 'set', [{ url: 'https://other.example' }]]],
  'minor minor: Adds the webhook `parcelLost`.': [
    [
      'http',
      '/webhooks/parcelLost',
      'set',
      { post: { requestBody: { content: { 'application/json': { schema: text } } }, responses: {} } },
    ],
  ],
  'major major: Removes the webhook `parcelDelivered`.': [['http', '/webhooks/parcelDelivered', 'remove']],
  'none major: Renames the webhook `parcelDelivered` to `delivered`.': [
    ['http', '/webhooks/parcelDelivered', 'rename', 'delivered'],
  ],
  'major none: Makes the webhook parameter `X-Signature` of `parcelDelivered` optional.': [
    ['http', `${HOOK}/parameters/0/required`, 'set', false],
  ],
}
