// Generated from specs/storage-auth/openapi.yaml by @concord/generate. Do not edit.

/**
 * How many failed logins lock an account, and for how long.
 *
 * @see `specs/storage-auth/openapi.yaml#/x-facts/lockout`
 */
export const lockout = { failedLogins: 5, minutes: 15 } as const

/**
 * How long credentials are valid, in seconds.
 *
 * @see `specs/storage-auth/openapi.yaml#/x-facts/lifetimes`
 */
export const lifetimes = { accessToken: 3600, refreshToken: 2592000, exchangeCode: 60 } as const

/**
 * The maximum number of requests to the three token endpoints in total, from one IP address.
 *
 * @see `specs/storage-auth/openapi.yaml#/x-facts/requestLimit`
 */
export const requestLimit = { requests: 10, seconds: 60 } as const

/**
 * The ephemeral ports of the callback of a browser sign-in.
 *
 * @see `specs/storage-auth/openapi.yaml#/x-facts/callbackPorts`
 */
export const callbackPorts = { first: 49152, last: 65535 } as const

/**
 * The sign-in page for browsers, under `{web_url}`, and the query that requests a code.
 *
 * @see `specs/storage-auth/openapi.yaml#/x-facts/browserSignIn`
 */
export const browserSignIn = { path: '/auth/signin', source: 'api' } as const

/**
 * The messages of a 401 to a login. Only the beginning of the message for a locked account is documented.
 *
 * @see `specs/storage-auth/openapi.yaml#/x-facts/loginMessages`
 */
export const loginMessages = {
  wrongCredentials: 'Invalid email or password',
  noPassword: 'Password is not set for this user',
  lockedBeginning: 'Account is temporarily locked',
} as const
