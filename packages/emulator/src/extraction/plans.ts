/** What a caller may use. `Infinity` means unlimited. @public */
export interface Plan {
  name: string
  pagesPerMonth: number
  /** In MB; what a MB is stands in the choices. */
  maxFileMb: number
  pagesPerDocument: number
  requestsPerMinute: number
}

/** The plans of the service, as its documentation gives them. @public */
export const PLANS = {
  free: { name: 'free', pagesPerMonth: 2_000, maxFileMb: 15, pagesPerDocument: 50, requestsPerMinute: 10 },
  pro: {
    name: 'pro',
    pagesPerMonth: 50_000,
    maxFileMb: 50,
    pagesPerDocument: Infinity,
    requestsPerMinute: 100,
  },
  scale: {
    name: 'scale',
    pagesPerMonth: 1_000_000,
    maxFileMb: 50,
    pagesPerDocument: Infinity,
    requestsPerMinute: 500,
  },
} as const satisfies Record<string, Plan>

/** The name of a plan of the service. @public */
export type PlanName = keyof typeof PLANS

/** The rate limits of the plans are per this long. */
export const RATE_WINDOW_MS = 60_000
