import { CREATE, GET, LIST, PARCEL, SCHEMAS, text, type PlantedChanges } from './places.ts'

/** The x- words of operations and documents, and names. */
export const words: PlantedChanges = {
  'major major: Limits when `getParcel` may be retried (from `safe` to `never`).': [
    ['http', `${GET}/x-retry/class`, 'set', 'never'],
  ],
  'minor minor: Allows more retries of `createParcel` (from `unsent-only` to `safe`).': [
    ['http', `${CREATE}/x-retry`, 'set', { class: 'safe' }],
  ],
  'major major: Limits when `createParcel` may be retried (no longer after 503).': [
    ['http', `${CREATE}/x-retry/statuses`, 'set', [429]],
  ],
  'major major: Changes how to find out whether `createParcel` took effect (`id` from `/id` to none).': [
    ['http', `${CREATE}/x-outcome/id`, 'remove'],
  ],
  'minor minor: Documents how to find out whether `createParcel` took effect (`lookUp` to `getParcel`).': [
    ['http', `${CREATE}/x-outcome`, 'set', { id: '/id', lookUp: 'getParcel' }],
  ],
  'major major: No longer documents how to poll `getParcel` for a final status.': [
    ['http', `${GET}/x-waiter`, 'remove'],
  ],
  'minor minor: Documents how to poll `listParcels` for a final status.': [
    ['http', `${LIST}/x-waiter`, 'set', { status: '/next', success: ['a'], failure: ['b'], pending: ['c'] }],
  ],
  'major major: Changes how to poll `getParcel` for a final status (`moving` from pending to success).': [
    ['http', `${GET}/x-waiter/success`, 'set', ['delivered', 'moving']],
    ['http', `${GET}/x-waiter/pending`, 'set', ['waiting']],
  ],
  'none patch: Changes how often and how long to poll `getParcel` (`maxDelayMs` from 5000 to 9000).': [
    ['http', `${GET}/x-waiter/maxDelayMs`, 'set', 9000],
  ],
  'major major: Changes what the status 429 of `createParcel` means.': [
    ['http', `${CREATE}/responses/429/x-rate-meaning/0/retryHelps`, 'set', false],
  ],
  'none minor: Adds the exported constant `hours`.': [
    ['http', '/x-facts/hours', 'set', { description: 'Open.', value: { from: 8 } }],
  ],
  'major major: Changes the exported constant `limits` at `/parcels`.': [
    ['http', '/x-facts/limits/value/parcels', 'set', 9],
  ],
  'major major: Removes the model `van`.': [['http', '/x-models/0', 'remove']],
  'none minor: Changes the price of the model `van`.': [['http', '/x-models/0/cost/0/credits/max', 'set', 2]],
  'none minor: Adds the type `Box`.': [['http', `${SCHEMAS}/Box`, 'set', text]],
  'none major: Removes the type `Spare`.': [['http', `${SCHEMAS}/Spare`, 'remove']],
  'none major: Renames the type `Carrier` to `Vehicle`.': [
    ['http', `${SCHEMAS}/Carrier`, 'rename', 'Vehicle'],
    ['http', `${PARCEL}/properties/carrier/$ref`, 'set', '#/components/schemas/Vehicle'],
  ],
  'none major: Changes the type of `Spare.part` from `string` to `integer` (request and response).': [
    ['http', `${SCHEMAS}/Spare/properties/part/type`, 'set', 'integer'],
  ],
  'none patch: Changes the description of `parcels/openapi.yaml`.': [
    ['http', '/info/version', 'set', '1.1.0'],
  ],
}
