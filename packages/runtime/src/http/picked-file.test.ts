import { describe, expect, it, onTestFinished, vi } from 'vitest'

import type { PartDescriptor } from '../core/descriptors.ts'
import { isPicked, pickedForm, toFields } from './form-field.ts'

const uri = 'file:///a.wav'

it.each<[unknown, boolean]>([
  [{ uri }, true],
  [{ uri, name: null, type: undefined }, true],
  [{ uri, name: 'a', type: 'audio/wav' }, true],
  [{ uri, name: 7 }, false],
  [{ uri, type: 7 }, false],
  [{ uri: 7 }, false],
  [{ name: 'a' }, false],
  [uri, false],
  [null, false],
])('R-08: it is said of %j whether it is the file of a picker: %s', (value, expected) => {
  expect(isPicked(value)).toBe(expected)
})

describe('a form with the file of a picker', () => {
  /** The entries that the host adds to its form, or why it rejects them. */
  function entriesOf(value: unknown, descriptor?: PartDescriptor): unknown {
    const entries: unknown[] = []
    vi.stubGlobal('navigator', { product: 'ReactNative' })
    vi.stubGlobal(
      'FormData',
      class {
        append(...entry: unknown[]): void {
          entries.push(entry)
        }
      },
    )
    onTestFinished(() => void vi.unstubAllGlobals())
    const form = pickedForm([{ name: 'f', value, descriptor, place: '/body/f' }])
    if (!('native' in form)) return form
    form.native?.()
    expect(() => form.open()).toThrow(/fetchTransport/)
    return entries
  }

  it.each<[unknown, PartDescriptor | undefined, unknown]>([
    [{ uri }, undefined, { uri, name: 'a.wav', type: 'application/octet-stream' }],
    ['x', undefined, 'x'],
    [7, { kind: 'text' }, '7'],
    [{ a: 1 }, undefined, '{"a":1}'],
    [new Date(0), undefined, '1970-01-01T00:00:00.000Z'],
    ['x', { kind: 'json' }, { string: '"x"', type: 'application/json' }],
  ])('R-08: has %j, of the kind %j, as %j', (value, descriptor, expected) => {
    expect(entriesOf(value, descriptor)).toEqual([['f', expected]])
  })

  it('R-05: cannot have a value that has no JSON', () => {
    expect(entriesOf({ toJSON: () => undefined })).toEqual([
      { path: '/body/f', reason: 'has no JSON representation' },
    ])
  })
})

it('R-08: the items of a list are fields of their own, except in JSON, and missing items are left out', () => {
  const body = {
    kind: 'multipart',
    contentType: '',
    required: true,
    parts: { json: { kind: 'json' } },
  } as const
  const values = { list: ['x', undefined, null, 'y'], json: [1, 2], none: undefined, null: null }
  expect(toFields(values, '/body', body).map(({ place, value }) => [place, value])).toEqual([
    ['/body/list', 'x'],
    ['/body/list', 'y'],
    ['/body/json', [1, 2]],
  ])
})
