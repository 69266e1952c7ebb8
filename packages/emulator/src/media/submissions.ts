import { createHash } from 'node:crypto'

import { isObject, type Json } from '../core/json.ts'
import type { SubmissionCount } from './model.ts'

/** How often each submission came. */
export interface Submissions {
  arrived(key: string, operationId: string): void
  accepted(key: string, taskId: string): void
  all(): SubmissionCount[]
  clear(): void
}

/** Counts submissions, so that a test can prove that nothing was submitted twice. */
export function createSubmissions(): Submissions {
  const counts = new Map<string, SubmissionCount>()
  return {
    arrived(key, operationId) {
      const known = counts.get(key)
      if (known) known.arrivals++
      else counts.set(key, { key, operationId, arrivals: 1, taskIds: [] })
    },
    accepted: (key, taskId) => void counts.get(key)?.taskIds.push(taskId),
    all: () => [...counts.values()].map((count) => ({ ...count, taskIds: [...count.taskIds] })),
    clear: () => counts.clear(),
  }
}
/** A hash of a JSON value that does not depend on the order of its keys. */
export function canonicalJson(value: Json): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('hex')
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, child]) => [name, sorted(child)]),
  )
}
