import { spawn } from 'node:child_process'

interface CommandEnd {
  readonly ok: boolean
  readonly output: string
}

/** Runs a program and collects its output. */
export function command(words: readonly string[], cwd: string, signal: AbortSignal): Promise<CommandEnd> {
  const [program = '', ...rest] = words
  return new Promise((resolve) => {
    // `detached` creates a process group, so that `stop` also ends the processes that the program started.
    const child = spawn(program, rest, { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    const chunks: Buffer[] = []
    const stop = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
      } catch {
        // The program has already ended.
      }
    }
    const end = (ok: boolean, more = '') => {
      signal.removeEventListener('abort', stop)
      resolve({ ok, output: Buffer.concat(chunks).toString() + more })
    }
    signal.addEventListener('abort', stop)
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.on('error', (error) => end(false, error.message))
    child.on('close', (code) => end(code === 0))
    if (signal.aborted) stop()
  })
}
