export const LIMITS = {
  semaphore: { name: 'connections', capacity: 2, termMs: 1500 },
  rate: { name: 'requests', limit: 100 },
} as const
