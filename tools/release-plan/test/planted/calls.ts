import { CREATE, GET, HOOK, LABEL, LIST, plant, text, type PlantedChange } from './plant.ts'

const parcel = { 'application/json': { schema: { $ref: '#/components/schemas/Parcel' } } }

/** Operations, parameters, bodies, responses, credentials. */
export const calls: readonly PlantedChange[] = [
  plant(
    [
      [
        'http',
        '/paths/~1boxes',
        'set',
        { get: { operationId: 'listBoxes', responses: { 200: { description: 'Boxes.' } } } },
      ],
    ],
    'minor minor: Adds the operation `listBoxes` (`GET /boxes`).',
  ),
  plant([['http', LABEL, 'remove']], 'major major: Removes the operation `setLabel` (`PUT /parcels/{id}`).'),
  plant(
    [['http', `${GET}/operationId`, 'set', 'readParcel']],
    'none major: Renames the operation `getParcel` to `readParcel`.',
  ),
  plant(
    [['http', '/paths/~1parcels', 'rename', '/v2/parcels']],
    'major none: Moves the operation `createParcel` from `POST /parcels` to `POST /v2/parcels`.',
    'major none: Moves the operation `listParcels` from `GET /parcels` to `GET /v2/parcels`.',
  ),
  plant([['http', `${GET}/deprecated`, 'set', true]], 'none minor: Deprecates `getParcel`.'),
  plant(
    [['http', `${LIST}/parameters/4`, 'set', { name: 'sort', in: 'query', schema: text }]],
    'minor minor: Adds the optional query parameter `sort` to `listParcels`.',
  ),
  plant(
    [['http', `${LIST}/parameters/4`, 'set', { name: 'sort', in: 'query', required: true, schema: text }]],
    'major major: Adds the required query parameter `sort` to `listParcels`.',
  ),
  plant(
    [
      [
        'http',
        `${LIST}/parameters/4`,
        'set',
        { name: 'X-Edition', in: 'header', required: true, schema: { const: '2' } },
      ],
    ],
    'major none: Adds the required header `X-Edition` to `listParcels`; clients send its only value automatically.',
  ),
  plant(
    [['http', `${LIST}/parameters/0`, 'remove']],
    'major major: Removes the query parameter `limit` from `listParcels`.',
  ),
  plant(
    [['http', `${LIST}/parameters/0/name`, 'set', 'max']],
    'minor minor: Adds the optional query parameter `max` to `listParcels`.',
    'major major: Removes the query parameter `limit` from `listParcels`.',
  ),
  plant(
    [
      ['http', '/paths/~1parcels~1{id}/parameters/0/name', 'set', 'parcel'],
      ['http', '/paths/~1parcels~1{id}', 'rename', '/parcels/{parcel}'],
    ],
    'none major: Renames the path parameter `id` of `getParcel` and `setLabel` to `parcel`.',
  ),
  plant(
    [['http', `${LIST}/parameters/0/schema/maximum`, 'set', 50]],
    'major none: Tightens `maximum` of the query parameter `limit` of `listParcels` from 100 to 50.',
  ),
  plant(
    [['http', `${LIST}/parameters/1/schema/enum`, 'set', ['north', 'south', 'east']]],
    'minor minor: Adds the value `east` to the query parameter `zone` of `listParcels`.',
  ),
  plant(
    [['http', '/components/parameters/Trace/required', 'set', true]],
    'major major: Makes the header `X-Trace` of `listParcels` required.',
  ),
  plant(
    [['http', `${LIST}/parameters/1/required`, 'remove']],
    'minor minor: Makes the query parameter `zone` of `listParcels` optional.',
  ),
  plant(
    [['http', `${LIST}/parameters/1/style`, 'set', 'pipeDelimited']],
    'major none: Changes how the query parameter `zone` of `listParcels` is written: `style` from `form` to `pipeDelimited`.',
  ),
  plant(
    [['http', `${LABEL}/requestBody/required`, 'set', true]],
    'major major: Makes the body of `setLabel` required.',
  ),
  plant(
    [['http', `${CREATE}/requestBody/required`, 'set', false]],
    'minor minor: Makes the body of `createParcel` optional.',
  ),
  plant(
    [['http', `${GET}/requestBody`, 'set', { content: { 'application/json': { schema: text } } }]],
    'minor minor: Adds an optional body to `getParcel`.',
  ),
  plant([['http', `${LABEL}/requestBody`, 'remove']], 'major major: Removes the body of `setLabel`.'),
  plant(
    [['http', `${CREATE}/requestBody/content/text~1plain`, 'set', { schema: text }]],
    'minor minor: Adds the media type `text/plain` to `createParcel`.',
  ),
  plant(
    [['http', `${GET}/responses/200/content/text~1plain`, 'set', { schema: text }]],
    'major major: Adds the media type `text/plain` to the response 200 of `getParcel`.',
  ),
  plant(
    [['http', `${GET}/responses/200/content/application~1json`, 'rename', 'application/parcel+json']],
    'major major: Adds the media type `application/parcel+json` to the response 200 of `getParcel`.',
    'major major: Removes the media type `application/json` from the response 200 of `getParcel`.',
  ),
  plant(
    [
      [
        'http',
        `${LABEL}/requestBody/content/multipart~1form-data/encoding/label/contentType`,
        'set',
        'image/png',
      ],
    ],
    'major none: No longer accepts `image/jpeg` for the part `label` of `setLabel`.',
  ),
  plant(
    [['http', `${CREATE}/responses/202`, 'set', { description: 'Later.' }]],
    'major major: Adds the success 202 to `createParcel`.',
  ),
  plant(
    [['http', `${GET}/responses/203`, 'set', { description: 'Later.', content: parcel }]],
    'minor minor: Documents the success 203 of `getParcel`, whose status was open.',
  ),
  plant(
    [['http', `${GET}/responses/203`, 'set', { description: 'Later.' }]],
    'major major: Adds the success 203 to `getParcel`.',
  ),
  plant(
    [['http', `${CREATE}/responses/201`, 'rename', '200']],
    'major major: Adds the success 200 to `createParcel`.',
    'minor major: Removes the success 201 from `createParcel`.',
  ),
  plant(
    [['http', `${CREATE}/responses/422`, 'set', { description: 'Wrong.' }]],
    'minor minor: Documents the error 422 of `createParcel`.',
  ),
  plant(
    [['http', `${CREATE}/responses/409`, 'remove']],
    'minor minor: No longer documents the error 409 of `createParcel`.',
  ),
  plant(
    [['http', `${GET}/responses/200/x-not-shown`, 'remove']],
    'minor minor: No longer leaves the status of the success 200 of `getParcel` open.',
  ),
  plant(
    [['http', `${GET}/responses/200/content`, 'remove']],
    'major major: Removes the body of the response 200 of `getParcel`.',
  ),
  plant(
    [['http', `${LIST}/responses/200/headers/X-Total`, 'remove']],
    'minor major: Removes the response header `X-Total` from the response 200 of `listParcels`.',
  ),
  plant(
    [['http', `${LIST}/responses/200/headers/X-Total/required`, 'set', true]],
    'minor minor: Makes the response header `X-Total` of the response 200 of `listParcels` required.',
  ),
  plant(
    [['http', `${GET}/responses/200/headers`, 'set', { 'X-Age': { schema: text } }]],
    'minor minor: Adds the response header `X-Age` to the response 200 of `getParcel`.',
  ),
  plant(
    [['http', `${CREATE}/responses/429/headers/Retry-After`, 'remove']],
    'minor none: Removes the error header `Retry-After` from the response 429 of `createParcel`.',
  ),
  plant(
    [['http', '/servers/0/variables/base_url/enum', 'set', ['https://parcels.example']]],
    'major major: Changes the server of `listParcels`, `createParcel` and 2 others from `{base_url}` (base_url: https://parcels.example) to `{base_url}` (base_url: https://parcels.example, one of https://parcels.example).',
  ),
  plant(
    [['http', '/security', 'set', [{ apiKey: [] }, {}]]],
    'minor minor: Makes the credential of `listParcels`, `createParcel` and 2 others optional.',
  ),
  plant(
    [['http', `${GET}/security`, 'set', [{ apiKey: [] }, { bearer: [] }]]],
    'minor minor: Accepts `bearer` as the credential of `getParcel`.',
  ),
  plant(
    [['http', `${GET}/security`, 'set', [{ bearer: [] }]]],
    'minor minor: Accepts `bearer` as the credential of `getParcel`.',
    'major major: No longer accepts `apiKey` as the credential of `getParcel`.',
  ),
  plant(
    [
      ['http', '/components/securitySchemes/apiKey', 'rename', 'key'],
      ['http', '/security', 'set', [{ key: [] }]],
    ],
    'none major: Renames the credential `apiKey` to `key`.',
  ),
  plant(
    [
      ['http', '/components/securitySchemes/apiKey', 'remove'],
      ['http', '/components/securitySchemes/key', 'set', { type: 'apiKey', in: 'header', name: 'X-Other' }],
      ['http', '/security', 'set', [{ key: [] }]],
    ],
    'minor minor: Accepts `key` as the credential of `listParcels`, `createParcel` and 2 others.',
    'major major: Changes `apiKey` of `parcels/openapi.yaml`.',
    'major major: No longer accepts `apiKey` as the credential of `listParcels`, `createParcel` and 2 others.',
  ),
  plant(
    [['http', '/components/securitySchemes/apiKey/name', 'set', 'X-Api-Key']],
    'major major: Changes how the credential `apiKey` is sent.',
  ),
  plant(
    [['http', `${GET}/servers`, 'set', [{ url: 'https://other.example' }]]],
    'major major: Changes the server of `getParcel` from `{base_url}` (base_url: https://parcels.example) to `https://other.example`.',
  ),
  plant(
    [
      [
        'http',
        '/webhooks/parcelLost',
        'set',
        { post: { requestBody: { content: { 'application/json': { schema: text } } }, responses: {} } },
      ],
    ],
    'minor minor: Adds the webhook `parcelLost`.',
  ),
  plant(
    [['http', '/webhooks/parcelDelivered', 'remove']],
    'major major: Removes the webhook `parcelDelivered`.',
  ),
  plant(
    [['http', '/webhooks/parcelDelivered', 'rename', 'delivered']],
    'none major: Renames the webhook `parcelDelivered` to `delivered`.',
  ),
  plant(
    [['http', `${HOOK}/parameters/0/required`, 'set', false]],
    'major none: Makes the webhook parameter `X-Signature` of `parcelDelivered` optional.',
  ),
  plant(
    [['http', `${HOOK}/responses/204`, 'rename', '200']],
    'minor none: Adds the success 200 to `parcelDelivered`.',
    'major none: Removes the success 204 from `parcelDelivered`.',
  ),
]
