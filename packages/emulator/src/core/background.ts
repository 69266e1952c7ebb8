import { trackUsedChoices } from './choices.ts'
import type { Clock } from './clock.ts'
import { describeError, toEmulatorError } from './errors.ts'
import type { Log } from './records.ts'

export interface BackgroundWork {
  readonly operation: string
  /** The subject of the work, for instance `job 5`. */
  readonly about: string
  failed?(error: Error): void
}

/** Runs work that no caller waits for. If it fails, the error is logged, and the process and other work continue. */
export class Background {
  readonly #service: string
  readonly #clock: Clock
  readonly #log: Log

  constructor(service: string, { clock, log }: { clock: Clock; log: Log }) {
    this.#service = service
    this.#clock = clock
    this.#log = log
  }

  setTimer(work: BackgroundWork, callback: () => void, delayMs: number): { cancel(): void } {
    return this.#clock.setTimer(() => this.run(work, callback), delayMs)
  }

  run(work: BackgroundWork, callback: () => void): void {
    try {
      trackUsedChoices(callback)
    } catch (error) {
      this.failed(work, error)
    }
  }

  failed({ operation, about, failed }: BackgroundWork, error: unknown): void {
    const failure = toEmulatorError(
      error,
      operation,
      `The emulator failed while it did background work for \`${operation}\``,
    )
    this.#log('error', `${this.#service}: ${operation}: ${about}: ${describeError(failure)}`)
    failed?.(failure)
  }
}
