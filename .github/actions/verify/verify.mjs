// The inputs of the action, as a command. Runs on the Node of the host; nothing is installed before.
import { spawnSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'

/** The words of `concord-contract` for the inputs of the action, which arrive as environment variables. */
export function verifyWords(environment) {
  const lines = (name) =>
    (environment[name] ?? '')
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
  const repeated = (option, name) => lines(name).flatMap((value) => [option, value])
  return [
    'verify',
    ...repeated('--spec', 'VERIFY_CONTRACT'),
    ...repeated('--base-url', 'VERIFY_BASE_URL'),
    ...repeated('--api-key-env', 'VERIFY_CREDENTIALS'),
    ...repeated('--param', 'VERIFY_PARAMS'),
    ...repeated('--allow', 'VERIFY_ALLOW'),
    ...repeated('--min-coverage', 'VERIFY_MIN_COVERAGE'),
    ...(environment.VERIFY_STRICT === 'true' ? ['--strict'] : []),
    ...repeated('--junit', 'VERIFY_JUNIT'),
  ]
}

if (process.env.GITHUB_ACTION_PATH !== undefined) {
  const { VERIFY_VERSION: version, VERIFY_JUNIT: junit, GITHUB_OUTPUT: outputs } = process.env
  // Before the command runs, so that a step after a failure can still read it.
  appendFileSync(outputs, `junit=${junit}\n`)
  const words = ['--yes', `@concord/contract@${version}`, ...verifyWords(process.env)]
  const { status, error } = spawnSync('npx', words, { stdio: 'inherit' })
  if (error) throw error
  process.exitCode = status ?? 1
}
