/** The parts of the Node process that commands use. Tests can replace them. */
export interface CliContext {
  readonly version: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly out: (text: string) => void
  readonly error: (text: string) => void
  /** Returns a promise that resolves when the server should stop. */
  readonly stopped: () => Promise<void>
}

/** Sets the exit code of the command. */
export type Done = (exitCode: number) => void

export const exitCodes = { passed: 0, broken: 1, unusable: 2, unreachable: 3 } as const
