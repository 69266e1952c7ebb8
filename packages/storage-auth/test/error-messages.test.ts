import { expect, it } from 'vitest'

import { explain, hasMessage, likelyMessage, refineErrors } from '../src/errors.ts'
import { loginMessages } from '../src/gen/facts.gen.ts'

it.each([
  ['a digit', 'sk_live_0123456789abcdef'],
  ['32 letters', 'abcdefghijklmnopqrstuvwxyzabcdef'],
])(
  'R-11: the message from an error body omits a word that could be a token, because it has %s',
  (_what, token) => {
    const said = explain({ message: `The token ${token} is unknown.` })
    expect(said).toMatch(/^The token .+ is unknown\.$/)
    expect(said).not.toContain(token)
  },
)

it('the message from an error body keeps ordinary words, even long ones', () => {
  const text = 'The internationalizations-settings are missing.'
  expect(explain({ message: text })).toBe(text)
})

it.each([
  [{ message: 'a', error: 'b' }, 'a'],
  [{ message: '', error: 'b' }, 'b'],
  [{ message: 7, detail: { title: 'c' } }, 'c'],
  [{ error: { other: 'x' }, title: 'd' }, 'd'],
  ['plain text', 'plain text'],
  ['x'.repeat(200), 'x'.repeat(200)],
  [{ message: 'x'.repeat(1000) }, 'x'.repeat(1000)],
  ['x'.repeat(201), undefined],
  ['<p>page</p>', undefined],
  [{ other: 'a' }, undefined],
  ['', undefined],
  [null, undefined],
  [7, undefined],
])('the message in an error body is found in %o', (body, expected) => {
  expect(likelyMessage(body)).toBe(expected)
})

it('the message in an error body is searched for up to a maximum depth, and truncated if it is long', () => {
  const nested = (depth: number): unknown => (depth === 0 ? 'deep' : { error: nested(depth - 1) })
  const isDeep = (text: string) => text === 'deep'
  for (const [depth, isFound] of [
    [9, true],
    [10, false],
  ] as const) {
    expect(likelyMessage(nested(depth))).toBe(isFound ? 'deep' : undefined)
    expect(hasMessage({ body: [nested(depth - 1), null, undefined, 7] }, isDeep)).toBe(isFound)
  }
  expect(likelyMessage({ message: 'x'.repeat(5_000) })).toBe(`${'x'.repeat(1_000)}…`)
})

it.each([
  ['createToken', ['WrongCredentialsError', 'PasswordNotSetError', 'AccountLockedError']],
  ['refreshToken', [undefined, undefined, 'AccountLockedError']],
  ['listApiKeys', [undefined, undefined, undefined]],
])('messages about a login are only recognized where they are documented: %s', (operation, names) => {
  const messages = [loginMessages.wrongCredentials, loginMessages.noPassword, loginMessages.lockedBeginning]
  const errors = messages.map((body) => {
    const response = { status: 401, headers: () => new Headers(), body, text: body }
    return refineErrors()(`The service returned 401. The service says: ${body}`, response, operation)
  })
  expect(errors.map((error) => error?.name.replace('storage-auth.', ''))).toEqual(names)
})
