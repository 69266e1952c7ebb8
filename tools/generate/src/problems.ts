/** A place in a contract. */
export interface Place {
  /** The file, relative to the root of the repository. */
  readonly file: string
  /** A JSON pointer as a URI fragment: `#/components/schemas/Job`. */
  readonly pointer: string
  readonly line?: number
}

/** One reason why a contract cannot be generated from, with the place that causes it. */
export interface Problem {
  readonly place: Place
  readonly reason: string
}

/** Thrown when a contract says something that the generated code could not say as well. Nothing is written. */
export class GenerationError extends Error {
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    super(['The contract cannot be generated from:', ...problems.map(describe)].join('\n'))
    this.name = 'GenerationError'
    this.problems = problems
  }
}

/** Collects problems, so that one run reports all of them. */
export class Problems {
  readonly #found: Problem[] = []

  add(place: Place, reason: string): void {
    const known = this.#found.some(
      (problem) =>
        problem.place.file === place.file &&
        problem.place.pointer === place.pointer &&
        problem.reason === reason,
    )
    if (!known) this.#found.push({ place, reason })
  }

  /** Throws a {@link GenerationError} when anything was added. */
  throwIfAny(): void {
    if (this.#found.length > 0) throw new GenerationError(this.#found)
  }
}

function describe({ place, reason }: Problem): string {
  return `  ${place.file}${place.line === undefined ? '' : `:${place.line}`} ${place.pointer}\n    ${reason}`
}
