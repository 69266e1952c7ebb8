/**
 * The time at which a test's clocks are frozen, in milliseconds since the Unix epoch. Processes that start at different times
 * share it, so that a slow machine can't push a request out of the rate's window.
 */
export const FROZEN_AT_MS = Date.UTC(2026, 0, 1)
