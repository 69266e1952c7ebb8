/** The environment of a command, so that tests can run it in process. */
export interface CliContext {
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

/** The meanings of the exit codes. */
export const exitCodes = { passed: 0, broken: 1, unusable: 2, unreachable: 3 } as const
