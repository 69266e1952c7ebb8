import { expect, it } from 'vitest'

import {
  dueAtMs,
  isDue,
  isRecentReplacement,
  isLost,
  isUsable,
  MAX_STORED_BYTES,
  readStoredSession,
  storableDetails,
  type StoredSession,
  writeStoredSession,
} from './token-store.ts'

const HOUR = 3_600_000
const MINUTE = 60_000
/** Issued at 1,000, valid for an hour. */
const PAIR: StoredSession = {
  accessToken: 'a',
  refreshToken: 'r',
  obtainedAtMs: 1_000,
  expiresAtMs: 1_000 + HOUR,
}
const { refreshToken: _, ...ACCESS_ONLY } = PAIR
const { expiresAtMs: __, ...NO_EXPIRY } = PAIR

it('R-41: an access token is used until five seconds before it expires', () => {
  expect(isUsable(PAIR, 1_000 + HOUR - 5_001)).toBe(true)
  expect(isUsable(PAIR, 1_000 + HOUR - 5_000)).toBe(false)
})

it('R-41: an access token that is valid for 8 seconds is used for the first 6', () => {
  const short = { ...PAIR, expiresAtMs: 9_000 }
  expect(isUsable(short, 6_999)).toBe(true)
  expect(isUsable(short, 7_000)).toBe(false)
})

it('R-41: an access token without a known expiry is always used and never due', () => {
  expect(isUsable(NO_EXPIRY, Number.MAX_SAFE_INTEGER)).toBe(true)
  expect(dueAtMs(NO_EXPIRY)).toBe(Infinity)
  expect(isDue(NO_EXPIRY, Number.MAX_SAFE_INTEGER)).toBe(false)
  expect(isDue({ ...NO_EXPIRY, obtainedAtMs: 10 * HOUR }, 0)).toBe(false)
})

it('R-41: a pair from more than a minute in the future is due, because its age is unknown', () => {
  expect(isDue({ ...PAIR, obtainedAtMs: 2 * MINUTE }, MINUTE)).toBe(false)
  expect(isDue({ ...PAIR, obtainedAtMs: 2 * MINUTE + 1 }, MINUTE)).toBe(true)
})

it('R-43: the successor of a rejected token counts as new for a minute', () => {
  const early = { ...PAIR, early: true }
  expect(isRecentReplacement(early, 1_000 + MINUTE - 1)).toBe(true)
  expect(isRecentReplacement(early, 1_000 + MINUTE)).toBe(false)
  expect(isRecentReplacement(PAIR, 1_000)).toBe(false)
  // Its age is unknown if it comes from the future.
  expect(isRecentReplacement({ ...early, obtainedAtMs: 2 * MINUTE + 1 }, MINUTE)).toBe(false)
})

it('R-42: the lifetime of a refresh token of unknown age is never over', () => {
  expect(isLost({ ...PAIR, obtainedAtMs: 0 }, Number.MAX_SAFE_INTEGER, HOUR)).toBe(false)
})

it('R-42: without a refresh token, a session is lost once its access token has expired', () => {
  expect(isLost(ACCESS_ONLY, 1_000)).toBe(false)
  expect(isLost(ACCESS_ONLY, 1_000 + HOUR)).toBe(true)
  expect(isLost({ ...ACCESS_ONLY, rejected: true }, 1_000)).toBe(false)
})

const whole: StoredSession = {
  ...PAIR,
  subject: 'kim',
  details: { name: 'Kim' },
  presented: 1,
  early: true,
  rejected: false,
}

it('R-41: a stored session is read back as it was written', () => {
  for (const session of [whole, NO_EXPIRY, ACCESS_ONLY])
    expect(readStoredSession(writeStoredSession(session) ?? '')).toEqual(session)
})

it.each<[string, Record<string, unknown>]>([
  ['no access token', { accessToken: undefined }],
  ['an empty access token', { accessToken: '' }],
  ['an access token that is not a string', { accessToken: 1 }],
  ['an empty refresh token', { refreshToken: '' }],
  ['a refresh token that is not a string', { refreshToken: 1 }],
  ['no time', { obtainedAtMs: undefined }],
  ['a time that is not a number', { obtainedAtMs: '1' }],
  ['an expiry that is not a number', { expiresAtMs: '1' }],
  ['an infinite expiry', { expiresAtMs: Infinity }],
  ['a user that is not a string', { subject: 1 }],
  ['a count that is not a number', { presented: true }],
  ['a mark that is not a boolean', { early: 1 }],
  ['a rejection that is not a boolean', { rejected: 'yes' }],
])('R-42: a session with %s is neither written nor read', (_what, wrong) => {
  const session = { ...whole, ...wrong } as StoredSession
  expect(writeStoredSession(session)).toBeUndefined()
  expect(readStoredSession(JSON.stringify({ concordSession: 1, session }))).toBe(
    'contains an incomplete session',
  )
})

it.each<[string, string, string]>([
  ['nothing', '', 'is empty'],
  ['white space', ' \n', 'is empty'],
  ['text', 'secret', 'does not contain a session'],
  ['null', 'null', 'does not contain a session'],
  ['a string', '"secret"', 'does not contain a session'],
  ['another object', '{"concordSession":"1"}', 'does not contain a session'],
  [
    'a newer version',
    '{"concordSession":2}',
    'contains a session that a newer version of this package wrote',
  ],
  ['no session', '{"concordSession":1}', 'contains an incomplete session'],
  ['null for a session', '{"concordSession":1,"session":null}', 'contains an incomplete session'],
])('R-41: reading a stored session says what is wrong with %s', (_what, text, problem) => {
  expect(readStoredSession(text)).toBe(problem)
})

it('R-41: a session is not written if it is larger than the largest stored form, counted in bytes', () => {
  const overhead = new TextEncoder().encode(writeStoredSession({ ...PAIR, accessToken: 'é' })).length - 2
  const room = (MAX_STORED_BYTES - overhead) / 2
  const fits = { ...PAIR, accessToken: 'é'.repeat(Math.floor(room)) }
  expect(writeStoredSession(fits)).toBeDefined()
  expect(writeStoredSession({ ...fits, accessToken: `${fits.accessToken}é` })).toBeUndefined()
})

it('R-41: details of at most 65,536 characters of JSON are stored, and others left out', () => {
  const exact = 'x'.repeat(65_534)
  expect(storableDetails(exact)).toBe(exact)
  expect(storableDetails(`${exact}x`)).toBeUndefined()
  expect(storableDetails(undefined)).toBeUndefined()
  expect(storableDetails(() => 1)).toBeUndefined()
  const circular: { self?: unknown } = {}
  circular.self = circular
  expect(storableDetails(circular)).toBeUndefined()
})
