/** What a command works with, so that it can be tried in process. */
export interface Surroundings {
  /** The version of the package. */
  readonly version: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly out: (text: string) => void
  readonly error: (text: string) => void
  /** Resolves when a server should stop. */
  readonly stopped: () => Promise<void>
}

/** A command that is over: its exit code. */
export type Done = (exitCode: number) => void

/** What the exit codes mean. */
export const exitCodes = { passed: 0, broken: 1, unusable: 2, unreachable: 3 } as const
