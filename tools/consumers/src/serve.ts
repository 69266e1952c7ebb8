import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'

/** The addresses and credentials of the services, as the emulator prints them. */
export type Served = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** An emulator that is served from an installation. */
export interface ServedEmulator {
  readonly served: Served
  stop(): void
}

/** Serves the emulator that is installed beside a script; the script prints the addresses as one line of JSON. */
export async function serveEmulator(script: string): Promise<ServedEmulator> {
  const child: ChildProcess = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] })
  const { stdout } = child
  if (stdout === null) throw new Error('the emulator has no output')
  for await (const line of createInterface({ input: stdout }))
    return { served: JSON.parse(line) as Served, stop: () => child.kill() }
  throw new Error('the emulator ended before it printed its addresses')
}
