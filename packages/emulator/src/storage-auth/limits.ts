/** The limits that the service's documentation gives. Each has an option or a choice beside it where tests need one. */
export const FAILURES_TO_LOCK = 5
export const LOCK_MS = 15 * 60_000
export const ACCESS_TOKEN_SECONDS = 3_600
export const REFRESH_TOKEN_MS = 30 * 24 * 3_600_000
export const EXCHANGE_CODE_MS = 60_000
export const TOKEN_REQUESTS_PER_MINUTE = 10
export const RATE_WINDOW_MS = 60_000
export const FIRST_CALLBACK_PORT = 49_152
export const LAST_CALLBACK_PORT = 65_535
