import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Runs a program in a separate Node process and returns its output. Its imports load the source, not the build. */
export async function runProgram(text: string, ...flags: readonly string[]): Promise<string> {
  const options = ['--conditions=@concord/source', '--no-warnings', ...flags]
  const args = [...options, '--input-type=module', '--eval', text]
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: import.meta.dirname,
    timeout: 60_000,
  })
  return stdout.trim()
}
