import { expect, it } from 'vitest'

import { explain, hasMessage, refineErrors } from '../src/errors.ts'
import { loginMessages } from '../src/gen/facts.gen.ts'
import { rejection, responding } from './support.ts'

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

it.each([[{ other: 'b', message: 'a' }], [{ message: '<p>', error: ' ', other: 'a' }], [['a']], ['a']])(
  'R-11: the error of a call omits what could be a token, wherever the body has it: %j',
  async (body) => {
    const text = JSON.stringify(body).replaceAll('"a"', '"The token sk_live_0123456789abcdef is unknown."')
    const json = { 'content-type': 'application/json' }
    const storage = responding(() => new Response(text, { status: 400, headers: json }))
    const error = await rejection(storage.signIn({ email: 'kim@mail.example', password: 'secret' }))
    expect(String(error)).toContain('The service says: The token [redacted] is unknown.')
  },
)

it('a documented message is recognized down to a maximum depth of an error body', () => {
  const nested = (depth: number): unknown => (depth === 0 ? 'deep' : { error: nested(depth - 1) })
  const isDeep = (text: string) => text === 'deep'
  expect(hasMessage({ body: [nested(8), null, undefined, 7] }, isDeep)).toBe(true)
  expect(hasMessage({ body: [nested(9), null, undefined, 7] }, isDeep)).toBe(false)
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
