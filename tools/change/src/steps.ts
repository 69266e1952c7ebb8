/** A finished or skipped step of a run. */
export interface StepEnd {
  readonly name: string
  readonly status: 'ok' | 'failed' | 'skipped'
  readonly durationMs: number
  readonly summary: string
  /** The output of the step. `Steps` prints it only if the step failed. */
  readonly details: string
}

export type StepResult = Pick<StepEnd, 'summary'> & { readonly ok: boolean; readonly details?: string }

/** Runs steps, and prints the result of each. */
export class Steps {
  readonly ends: StepEnd[] = []
  readonly #print: (line: string) => void
  readonly #begin: (name: string) => void
  readonly #signal: AbortSignal

  /**
   * @param print Shows a finished step.
   * @param begin Shows that a step has begun.
   */
  constructor(print: (line: string) => void, begin: (name: string) => void, signal: AbortSignal) {
    this.#print = print
    this.#begin = begin
    this.#signal = signal
  }

  get ok(): boolean {
    return this.ends.every(({ status }) => status === 'ok')
  }

  /** Runs a step. Throws if the signal is aborted before or during the step. */
  async run(name: string, step: () => Promise<StepResult>): Promise<boolean> {
    this.#signal.throwIfAborted()
    this.#begin(name)
    const started = performance.now()
    const { ok, summary, details = '' } = await step()
    this.#signal.throwIfAborted()
    this.#add({
      name,
      status: ok ? 'ok' : 'failed',
      durationMs: Math.round(performance.now() - started),
      summary,
      details,
    })
    return ok
  }

  /** Records steps that can't run because an earlier step failed. */
  skip(names: readonly string[], summary: string): void {
    for (const name of names) this.#add({ name, status: 'skipped', durationMs: 0, summary, details: '' })
  }

  #add(end: StepEnd): void {
    this.ends.push(end)
    const seconds = end.status === 'skipped' ? '' : `${(end.durationMs / 1000).toFixed(1)} s`
    const mark = { ok: 'ok', failed: 'FAILED', skipped: 'skipped' }[end.status]
    this.#print(`  ${end.name.padEnd(10)} ${mark.padEnd(8)} ${seconds.padStart(7)}  ${end.summary}`)
    if (end.status === 'failed' && end.details !== '')
      this.#print(end.details.trimEnd().replaceAll(/^/gm, '    '))
  }
}
