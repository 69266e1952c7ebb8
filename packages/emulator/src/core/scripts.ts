import { EmulatorOptionsError } from './errors.ts'

interface Script {
  /** How many times the script is used; by default, once. */
  readonly times?: number | 'always'
}

/**
 * The pending scripts of one kind. A script determines what the emulator does next, such as how the next job ends.
 * Scripts are used in the order in which they were added.
 */
export class Scripts<S extends Script> {
  readonly #check: (script: S) => void
  #waiting: { script: S; left: number }[] = []

  /** @param check - Must throw an error if a member of the script other than `times` is invalid. */
  constructor(check: (script: S) => void) {
    this.#check = check
  }

  /** @throws EmulatorOptionsError if the script is invalid. */
  add(script: S): void {
    this.#check(script)
    const { times = 1 } = script
    if (times !== 'always' && !(Number.isInteger(times) && times > 0))
      throw invalidScript('`times` must be a whole number above 0, or "always"')
    this.#waiting.push({ script, left: times === 'always' ? Infinity : times })
  }

  /** Returns the first script that matches, and counts one use of it. */
  take(fits: (script: S) => boolean = () => true): S | undefined {
    const next = this.#waiting.find(({ script }) => fits(script))
    if (next && --next.left <= 0) this.#waiting = this.#waiting.filter((entry) => entry !== next)
    return next?.script
  }

  clear(): void {
    this.#waiting = []
  }
}

export function invalidScript(reason: string): EmulatorOptionsError {
  return new EmulatorOptionsError(`The script is invalid: ${reason}.`)
}
