// Generated from specs/extraction/openapi.yaml and specs/extraction/asyncapi.yaml by @concord/generate. Do not edit.

/**
 * The limits of each plan. A limit of null means unlimited; file sizes are in MB.
 *
 * @see `specs/extraction/openapi.yaml#/x-facts/plans`
 */
export const plans = {
  free: { pagesPerMonth: 2000, maxFileMb: 15, pagesPerDocument: 50, requestsPerMinute: 10 },
  pro: { pagesPerMonth: 50000, maxFileMb: 50, pagesPerDocument: null, requestsPerMinute: 100 },
  scale: { pagesPerMonth: 1000000, maxFileMb: 50, pagesPerDocument: null, requestsPerMinute: 500 },
} as const
