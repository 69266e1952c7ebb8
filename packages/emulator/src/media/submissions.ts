import { createHash } from 'node:crypto'

import { isObject, type Json, type JsonObject } from '../core/json.ts'
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

/** Returns a hash of a JSON value. The order of keys in objects doesn't change the hash. */
export function canonicalJson(value: Json): string {
  const text = JSON.stringify(value, (_, child: Json) => (isObject(child) ? sorted(child) : child))
  return createHash('sha256').update(text).digest('hex')
}

function sorted(object: JsonObject): JsonObject {
  const entries = Object.entries(object)
  return Object.fromEntries(entries.sort(([left], [right]) => (left < right ? -1 : 1)))
}
