// Generated from specs/media/openapi.yaml by @concord/generate. Do not edit.

/**
 * The tiers of an organization; 1 is the default.
 *
 * @see `specs/media/openapi.yaml#/x-facts/tiers`
 */
export const tiers = {
  1: { concurrency: { min: 1, max: 2 }, dailyGenerations: { min: 50, max: 200 }, monthlyCapUsd: 100 },
  2: { concurrency: { min: 3, max: 3 }, dailyGenerations: { min: 500, max: 1000 }, monthlyCapUsd: 500 },
  3: { concurrency: { min: 5, max: 5 }, dailyGenerations: { min: 1000, max: 2000 }, monthlyCapUsd: 2000 },
  4: { concurrency: { min: 10, max: 10 }, dailyGenerations: { min: 5000, max: 10000 }, monthlyCapUsd: 20000 },
  5: {
    concurrency: { min: 20, max: 20 },
    dailyGenerations: { min: 25000, max: 30000 },
    monthlyCapUsd: 100000,
  },
} as const

/**
 * The rolling window in which the daily generations are counted.
 *
 * @see `specs/media/openapi.yaml#/x-facts/quotaWindow`
 */
export const quotaWindow = { hours: 24 } as const

/**
 * The codes of failed tasks. `.*` is any suffix after the dot; all other codes are complete.
 *
 * @see `specs/media/openapi.yaml#/x-facts/failureCodes`
 */
export const failureCodes = {
  'SAFETY.INPUT.*': { category: 'input-moderation', advice: 'none', refundable: false },
  'SAFETY.OUTPUT.*': { category: 'output-moderation', advice: 'change-prompt' },
  'INTERNAL.BAD_OUTPUT': { category: 'bad-output', advice: 'retry' },
  'ASSET.INVALID': { category: 'invalid-asset', advice: 'fix-input' },
  INTERNAL: { category: 'server-error', advice: 'retry' },
} as const

/**
 * The maximum size of an input in MB, by kind and way of transfer, and the maximum length of its URL in characters.
 *
 * @see `specs/media/openapi.yaml#/x-facts/inputLimits`
 */
export const inputLimits = {
  maxMb: {
    image: { url: 16, dataUri: 5, upload: 200 },
    video: { url: 32, dataUri: 16, upload: 200 },
    audio: { url: 32, dataUri: 16, upload: 200 },
  },
  maxUrlCharacters: 2048,
} as const
