import * as fc from 'fast-check'
import { expect, it } from 'vitest'

import { OptionsError } from '../core/errors.ts'
import { readResumeToken, writeResumeToken } from './operation-handle.ts'

const kinds = fc.string({ minLength: 1, maxLength: 30 })
const ids = fc.string({ minLength: 1, maxLength: 80, unit: 'binary' }).filter((id) => id.isWellFormed())
const extras = fc.dictionary(
  fc.string().filter((key) => key !== 'kind' && key !== 'id' && key !== '__proto__'),
  fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown),
  { maxKeys: 4 },
)

const problemOf = (token: string, kind = 'extraction.job'): OptionsError => {
  try {
    readResumeToken(token, kind)
  } catch (error) {
    if (OptionsError.is(error)) return error
    throw error
  }
  throw new Error(`${token} was accepted`)
}

it('R-30: a resume token contains what was written, and fits into a URL without escaping', () => {
  fc.assert(
    fc.property(kinds, ids, extras, (kind, id, extra) => {
      const token = writeResumeToken({ kind, id, extra })
      expect(token).toMatch(/^[A-Za-z0-9._-]+$/)
      expect(encodeURIComponent(token)).toBe(token)
      const read = readResumeToken(token, kind)
      expect(read).toEqual(Object.keys(extra).length === 0 ? { kind, id } : { kind, id, extra })
    }),
  )
})

it('R-30: a token of version 1 stays readable in every later version', () => {
  const token = 'cr1.eyJraW5kIjoiZXh0cmFjdGlvbi5qb2IiLCJpZCI6IjdmM2MifQ.nm5gb7'
  expect(writeResumeToken({ kind: 'extraction.job', id: '7f3c' })).toBe(token)
  expect(readResumeToken(token, 'extraction.job')).toEqual({ kind: 'extraction.job', id: '7f3c' })
})

it('R-30: garbage is rejected with an error that says what to do', () => {
  const token = writeResumeToken({ kind: 'extraction.job', id: '7f3c2a' })
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.base64String(), fc.constant('cr1..'), fc.constant('cr1.e30.x')),
      (garbage) => {
        expect(problemOf(garbage)).toMatchObject({ code: 'invalid-options', option: 'token' })
      },
    ),
  )
  fc.assert(
    fc.property(fc.nat(token.length - 1), fc.constantFrom(...'abcXYZ019-_.'), (index, character) => {
      fc.pre(token[index] !== character)
      const changed = token.slice(0, index) + character + token.slice(index + 1)
      expect(problemOf(changed).message).toMatch(/unchanged resume token|has format/)
    }),
  )
  for (let length = 0; length < token.length; length++) {
    expect(problemOf(token.slice(0, length)).message).toContain('unchanged resume token')
  }
  // Complete by its checksum, but neither JSON nor an object.
  // The last one is an object, but not UTF-8.
  for (const odd of [
    'cr1.eyJraW5kIjoiYSIsImlkIjoi_yJ9.1drc8l5',
    'cr1.bnVsbA.r9u9rn',
    'cr1.eyJraW5kIg.105r35f',
    'cr1.WzFd.m9xheu',
  ]) {
    expect(problemOf(odd).message).toContain('unchanged resume token')
  }
  expect(problemOf(undefined as unknown as string).message).toContain('unchanged resume token')
})

it('R-30: a token of another kind is rejected by name', () => {
  const { message } = problemOf(writeResumeToken({ kind: 'media.task', id: '1' }))
  expect(message).toContain("belongs to 'media.task', not to 'extraction.job'")
  const hostile = problemOf(writeResumeToken({ kind: 'x\u001b[31m\n', id: '1' }))
  expect(hostile.message).toContain('belongs to another kind of operation')
  const long = problemOf(writeResumeToken({ kind: `${'x'.repeat(61)}`, id: '1' }))
  expect(long.message).toContain('belongs to another kind of operation')
})

it('R-30: a token of a newer version is rejected with the advice to upgrade', () => {
  const { message } = problemOf('cr2.whatever-form_it-has.0')
  expect(message).toContain(
    'The token has format 2, and this version of @concord/runtime reads formats up to 1',
  )
  expect(message).toContain('Upgrade')
})

it('R-30: a token without an id or a kind is not a token', () => {
  for (const odd of [{ id: 7 }, { kind: 7 }])
    expect(problemOf(writeResumeToken({ kind: 'a', id: '1', ...odd } as never), 'a').message).toContain(
      'unchanged resume token',
    )
  expect(problemOf(writeResumeToken({ kind: 'extraction.job', id: '' })).message).toContain(
    'unchanged resume token',
  )
})
