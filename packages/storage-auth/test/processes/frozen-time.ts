/**
 * The time at which a test stands still, in milliseconds since the Unix epoch. Processes that start at different times
 * share it, so that a slow machine can't move a request out of a window of the rate.
 */
export const FROZEN_AT_MS = Date.UTC(2026, 0, 1)
