import { createHash } from 'node:crypto'

import { isObject, type Json } from '../core/json.ts'
import type { SubmissionCount } from './model.ts'

/** Counts submissions, so that a test can prove that nothing was submitted twice. */
export class Submissions {
  readonly #counts = new Map<string, SubmissionCount>()

  arrived(key: string, operationId: string): void {
    const known = this.#counts.get(key)
    if (known) known.arrivals++
    else this.#counts.set(key, { key, operationId, arrivals: 1, taskIds: [] })
  }

  accepted(key: string, taskId: string): void {
    this.#counts.get(key)?.taskIds.push(taskId)
  }

  all(): SubmissionCount[] {
    return [...this.#counts.values()].map((count) => ({ ...count, taskIds: [...count.taskIds] }))
  }

  clear(): void {
    this.#counts.clear()
  }
}

/** Hashes a JSON value, regardless of the order of its keys. */
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
