import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'

/** The URLs and credentials of the services, as printed by the emulator. */
export type Served = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** A running emulator, started from the `@concord/emulator` that a group installed. */
export interface ServedEmulator {
  readonly served: Served
  stop(): void
}

/** Runs a script that serves the installed emulator and prints the URLs as one line of JSON. */
export async function serveEmulator(script: string): Promise<ServedEmulator> {
  const child: ChildProcess = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] })
  const { stdout } = child
  if (stdout === null)
    throw new Error('the process of the emulator was started without a pipe for its output')
  for await (const line of createInterface({ input: stdout }))
    return { served: JSON.parse(line) as Served, stop: () => child.kill() }
  throw new Error('the emulator exited before it printed its URLs')
}
