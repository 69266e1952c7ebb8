import type { BatchStatus, CostSum } from './status.ts'

/** Formats a duration in its largest unit, such as `3 min`. */
export function spanOf(ms: number): string {
  const units = [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1_000, 's'],
  ] as const
  const [size, name] = units.find(([each]) => ms >= each) ?? [1_000, 's']
  return `${Math.round(ms / size)} ${name}`
}

/** Formats a sum of estimates, such as `20 to 40 (requests without an estimate: 3)`. */
export function costOf({ min, max, unpriced }: CostSum): string {
  const range = max === 0 && unpriced > 0 ? 'unknown' : min === max ? String(min) : `${min} to ${max}`
  return unpriced === 0 ? range : `${range} (requests without an estimate: ${unpriced})`
}

export function paceOf({ perMinute, oldestWaitMs, isComplete, canceling }: BatchStatus): string {
  const parts = [`${perMinute.toFixed(1)} results per minute`]
  if (oldestWaitMs !== undefined) parts.push(`longest wait ${spanOf(oldestWaitMs)}`)
  if (canceling > 0) parts.push(`${canceling} jobs to be canceled`)
  if (!isComplete) parts.push('more requests are still being added')
  return parts.join(', ')
}
