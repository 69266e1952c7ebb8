import { describe, expect, it } from 'vitest'

import { equivalentEdits } from './planted/equivalent.ts'
import { calls } from './planted/calls.ts'
import { combined } from './planted/combined.ts'
import { fields } from './planted/fields.ts'
import { sockets } from './planted/sockets.ts'
import { values } from './planted/values.ts'
import { words } from './planted/words.ts'
import { severalChanges } from './planted/several.ts'
import { CREATE, NEW, PARCEL, SCHEMAS } from './planted/places.ts'
import { changesAfter, compareTexts, edited, type Step } from './support.ts'

/** Returns each change after an edit, with its verdicts. */
const ratedAfter = (edit: readonly Step[]): string[] =>
  changesAfter(edit).map(({ wire, typescript, message }) => `${wire} ${typescript}: ${message}`)

describe('planted changes', () => {
  it.each([fields, values, calls, sockets, words, combined].flatMap((table) => Object.entries(table)))(
    'finds and rates: %s',
    (change, edit) => {
      expect(ratedAfter(edit)).toEqual([change])
    },
  )

  it.each(severalChanges.map(([edit, ...changes]) => [changes.join(' '), edit, changes] as const))(
    'finds and rates: %s',
    (_title, edit, changes) => {
      expect(ratedAfter(edit).sort()).toEqual(changes.sort())
    },
  )

  it('finds only the retry if a class `safe` replaces the outcome of repeating the call', () => {
    const change = 'minor minor: Allows more retries of `createParcel` (from `unsent-only` to `safe`).'

    expect(
      ratedAfter([
        ['http', `${CREATE}/x-retry`, 'set', { class: 'safe' }],
        ['http', `${CREATE}/x-outcome/again`, 'remove'],
      ]),
    ).toEqual([change])
  })
})

describe('reasons', () => {
  it('says what a change means to callers if clients send the place, and to readers if they receive it', () => {
    const why = (pointer: string): string[] =>
      changesAfter([['http', pointer, 'set', 90]]).map((change) => change.why)

    expect({
      sent: why(`${NEW}/properties/weight/maximum`),
      received: why(`${PARCEL}/properties/price/maximum`),
    }).toEqual({
      sent: ['The service accepts more values.'],
      received: ['Programs no longer receive some values.'],
    })
  })
})

describe('equivalent contracts', () => {
  it.each(equivalentEdits)('finds no change that programs notice: %s', (_title, edit) => {
    expect(changesAfter(edit).map(({ kind }) => kind)).toEqual(['unused-changed'])
  })

  it('finds no change if only comments, layout or the order of keys differ', () => {
    const base = edited([])
    const next = Object.fromEntries(
      Object.entries(base).map(([file, text]) => [file, `# A comment.\n${text}\n`]),
    )

    expect(compareTexts(base, next)).toEqual([])
  })

  it('finds no change if a named schema keeps its description and becomes an `allOf` of one part', () => {
    const address = { type: 'object', required: ['city'], properties: { city: { type: 'string' } } }
    const named = (schema: object): Record<string, string> =>
      edited([['http', `${SCHEMAS}/Address`, 'set', { description: 'Where to.', ...schema }]])

    const changes = compareTexts(named(address), named({ allOf: [address] }))

    expect(changes.map(({ kind }) => kind)).toEqual(['unused-changed'])
  })
})

describe('types that nothing on the wire uses', () => {
  it('does not change the verdict of a type that responses use, if it refers to that type', () => {
    const alias: Step = ['http', `${SCHEMAS}/Alias`, 'set', { $ref: '#/components/schemas/Parcel' }]

    const changes = compareTexts(
      edited([alias]),
      edited([alias, ['http', `${PARCEL}/properties/paidAt`, 'remove']]),
    )

    expect(changes.map(({ message, wire, typescript }) => `${wire} ${typescript} ${message}`)).toEqual([
      'minor major Removes the optional response field `paidAt` from `Parcel`.',
    ])
  })
})
