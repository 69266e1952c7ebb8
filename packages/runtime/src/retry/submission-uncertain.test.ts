import { describe, expect, it } from 'vitest'
import { UnexpectedContentError } from '../core/errors.ts'
import { createItem } from '../http/test-support/fixtures.ts'
import { type KnownOfSubmission, submissionUncertain } from './outcome.ts'

const page = new UnexpectedContentError(
  'createItem: not JSON.',
  { status: 200, body: '', text: '', headers: () => new Headers() },
  { contentType: 'text/html', excerpt: '' },
)

const denied = new UnexpectedContentError(
  'createItem: the service says: upstream busy',
  { status: 503, body: '', text: '', headers: () => new Headers() },
  { contentType: 'text/html', excerpt: '' },
)

const errorOf = (known: Partial<KnownOfSubmission>) =>
  submissionUncertain(createItem, {
    body: undefined,
    submittedAtMs: 7,
    cause: new Error('reset'),
    possibleDuplicates: 1,
    ...known,
  })

describe('the error for an unknown outcome', () => {
  it('R-21: names the fields of a plain body, and none of any other body', () => {
    expect(errorOf({ body: { secret: 'value', b: 1 } }).submitted).toEqual({
      method: 'POST',
      path: '/v1/items',
      fields: ['secret', 'b'],
    })
    for (const body of [undefined, null, 'text', new Uint8Array([1]), new Map([['a', 1]])])
      expect(errorOf({ body }).submitted.fields).toEqual([])
  })

  it('R-21: begins with the problem of the response, or says that the response was lost', () => {
    expect(errorOf({ cause: page }).message).toMatch(/^createItem: not JSON\. /)
    expect(errorOf({}).message).toMatch(/^createItem: the response was lost/)
    expect(errorOf({ cause: denied }).message).toContain('upstream busy. Whether the request')
  })

  it('R-21: says how many submissions may exist only if there may be several', () => {
    expect(errorOf({}).message).not.toContain('submissions may exist')
    expect(errorOf({ possibleDuplicates: 3 }).message).toContain(
      '3 submissions may exist. The client does not send it again.',
    )
  })

  it('R-21: names the id of the accepted work if it is known', () => {
    expect(errorOf({ id: 'a-1' }).message).toContain(
      'the service accepted the request under the id "a-1", but its response',
    )
    expect(errorOf({}).message).toContain('is unknown')
  })
})
