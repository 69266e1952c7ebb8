import { CREATE, GET, LIST, PARCEL, plant, SCHEMAS, text, type PlantedChange } from './plant.ts'

/** The x- words of operations and documents, and names. */
export const words: readonly PlantedChange[] = [
  plant(
    [['http', `${GET}/x-retry/class`, 'set', 'never']],
    'major major: Limits when `getParcel` may be sent again: `safe`, then `never`.',
  ),
  plant(
    [['http', `${CREATE}/x-retry`, 'set', { class: 'safe' }]],
    'minor minor: Lets `createParcel` be sent again in more cases: `unsent-only`, then `safe`.',
  ),
  plant(
    [
      ['http', `${CREATE}/x-retry`, 'set', { class: 'safe' }],
      ['http', `${CREATE}/x-outcome/again`, 'remove'],
    ],
    'minor minor: Lets `createParcel` be sent again in more cases: `unsent-only`, then `safe`.',
  ),
  plant(
    [['http', `${CREATE}/x-retry/statuses`, 'set', [429]]],
    'major major: Limits when `createParcel` may be sent again: no longer after 503.',
  ),
  plant(
    [['http', `${CREATE}/x-outcome/id`, 'remove']],
    'major major: Changes the outcome of `createParcel`: `id` (it was `/id`).',
  ),
  plant(
    [['http', `${CREATE}/x-outcome`, 'set', { id: '/id', lookUp: 'getParcel' }]],
    'minor minor: Documents the outcome of `createParcel`: `lookUp` to `getParcel`.',
  ),
  plant(
    [['http', `${GET}/x-waiter`, 'remove']],
    'major major: No longer documents how to wait for `getParcel`.',
  ),
  plant(
    [
      [
        'http',
        `${LIST}/x-waiter`,
        'set',
        { status: '/next', success: ['a'], failure: ['b'], pending: ['c'] },
      ],
    ],
    'minor minor: Documents how to wait for `listParcels`.',
  ),
  plant(
    [
      ['http', `${GET}/x-waiter/success`, 'set', ['delivered', 'moving']],
      ['http', `${GET}/x-waiter/pending`, 'set', ['waiting']],
    ],
    'major major: Changes how to wait for `getParcel`: `moving` from pending to success.',
  ),
  plant(
    [['http', `${GET}/x-waiter/maxDelayMs`, 'set', 9000]],
    'none patch: Changes how often and how long to poll `getParcel`: `maxDelayMs` from 5000 to 9000.',
  ),
  plant(
    [['http', `${CREATE}/responses/429/x-rate-meaning/0/retryHelps`, 'set', false]],
    'major major: Changes the meanings of the 429 of `createParcel`.',
  ),
  plant(
    [['http', '/x-facts/hours', 'set', { description: 'Open.', value: { from: 8 } }]],
    'none minor: Adds the fact `hours`.',
  ),
  plant(
    [['http', '/x-facts/limits/value/parcels', 'set', 9]],
    'major major: Changes the fact `limits` (`/parcels`).',
  ),
  plant([['http', '/x-models/0', 'remove']], 'major major: Removes the model `van`.'),
  plant(
    [['http', '/x-models/0/cost/0/credits/max', 'set', 2]],
    'none minor: Changes the price of the model `van`.',
  ),
  plant([['http', `${SCHEMAS}/Box`, 'set', text]], 'none minor: Adds the type `Box`.'),
  plant([['http', `${SCHEMAS}/Spare`, 'remove']], 'none major: Removes the type `Spare`.'),
  plant(
    [
      ['http', `${SCHEMAS}/Carrier`, 'rename', 'Vehicle'],
      ['http', `${PARCEL}/properties/carrier/$ref`, 'set', '#/components/schemas/Vehicle'],
    ],
    'none major: Renames the type `Carrier` to `Vehicle`.',
  ),
  plant(
    [['http', `${SCHEMAS}/Spare/properties/part/type`, 'set', 'integer']],
    'none major: Changes the type of `Spare.part` from `string` to `integer` (request and response).',
  ),
  plant(
    [['http', '/info/version', 'set', '1.1.0']],
    'none patch: Changes the description of `parcels/openapi.yaml`.',
  ),
]
