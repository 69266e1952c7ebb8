import { factOf } from '../core/specification.ts'

const fact = <Fact>(name: string) => factOf<Fact>('storage-auth/openapi.yaml', name)
const lockout = fact<{ failedLogins: number; minutes: number }>('lockout')
const lifetimes = fact<{ accessToken: number; refreshToken: number; exchangeCode: number }>('lifetimes')
const requestLimit = fact<{ requests: number; seconds: number }>('requestLimit')
const callbackPorts = fact<{ first: number; last: number }>('callbackPorts')
const browserSignIn = fact<{ path: string; source: string }>('browserSignIn')

// Options can override the request limit and the lifetime of access tokens.
export const FAILURES_TO_LOCK = lockout.failedLogins
export const LOCK_MS = lockout.minutes * 60_000
export const ACCESS_TOKEN_SECONDS = lifetimes.accessToken
export const REFRESH_TOKEN_MS = lifetimes.refreshToken * 1_000
export const EXCHANGE_CODE_MS = lifetimes.exchangeCode * 1_000
export const TOKEN_REQUESTS_PER_MINUTE = requestLimit.requests
export const RATE_WINDOW_MS = requestLimit.seconds * 1_000
export const FIRST_CALLBACK_PORT = callbackPorts.first
export const LAST_CALLBACK_PORT = callbackPorts.last
/** The path of the sign-in page, under `webUrl`. */
export const SIGN_IN_PATH = browserSignIn.path
/** The value that the parameter `source` must have in the query of the sign-in page. */
export const SIGN_IN_SOURCE = browserSignIn.source
export const LOGIN_MESSAGES = fact<{ wrongCredentials: string; noPassword: string; lockedBeginning: string }>(
  'loginMessages',
)
