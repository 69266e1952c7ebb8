import { isDeepStrictEqual } from 'node:util'

import type { DatabaseServer } from '@concord/database'

import type { Figure } from './report.ts'

/** How much to measure: everything, enough for a first look, or just enough to test the bench. */
export type Extent = 'full' | 'quick' | 'smoke'

export interface RowContext {
  readonly extent: Extent
  /** Whether to pin servers to one processor core, and subjects to another one (Linux only). */
  readonly pin: boolean
  /** Shows what is being measured right now. */
  readonly progress: (text: string) => void
  /** The database server for all rows. Default: each row starts its own, so that other rows' data can't affect it. */
  readonly server?: DatabaseServer
}

/** A task of the bench. Several implementations (the subjects) do this task, and the bench compares them. */
export interface Row {
  readonly name: string
  readonly title: string
  /** @throws WrongResultError if a subject doesn't do the work that it is measured for. */
  run(context: RowContext): Promise<readonly Figure[]>
}

/**
 * Maps the name of each subject to the path of a module. The module exports a record called `subjects`, in which
 * this name is a key. The other subjects are compared with the first one.
 */
export type Subjects = ReadonlyMap<string, string>

export function ownSubjects(file: string, subjects: Readonly<Record<string, unknown>>): Subjects {
  return new Map(Object.keys(subjects).map((name) => [name, file]))
}

/** A subject didn't return or send what it should, so its figures would be meaningless. */
export class WrongResultError extends Error {
  override readonly name = 'WrongResultError'
}

/** @throws WrongResultError if the response differs from the expected one. */
export function checkResult(subject: string, response: unknown, expected: unknown): void {
  if (isDeepStrictEqual(response, expected)) return
  const text = JSON.stringify(response) ?? String(response)
  throw new WrongResultError(
    `${subject} returned an unexpected result, so the row isn't measured. Result: ${text.slice(0, 300)}`,
  )
}
