// Runs every example against the emulator. `npm test` calls it.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'

const notExamples = ['run-all.ts', 'tour.ts']
const examples = readdirSync(import.meta.dirname).filter(
  (name) => name.endsWith('.ts') && !notExamples.includes(name),
)
// Without the variables of real services, every example starts an emulator.
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(EXTRACTION|MEDIA|STORAGE|SPEECH)_/.test(name)),
)

/** The arguments of examples that would otherwise take minutes. */
const small: Readonly<Record<string, readonly string[]>> = {
  'fleet.ts': ['--jobs', '20', '--workers', '2', '--kills', '1'],
}

let failures = 0
for (const example of examples) {
  const ran = spawnSync(process.execPath, [example, ...(small[example] ?? [])], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
    timeout: 60_000,
    env: environment,
  })
  // An example must print something, but no warnings.
  const ok = ran.status === 0 && ran.stdout.trim() !== '' && ran.stderr === ''
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${example}`)
  if (ok) continue
  failures += 1
  console.error(ran.stdout, ran.stderr, ran.error ?? '')
}
console.log(`examples: ${examples.length} ran, ${failures} failed`)
process.exit(failures === 0 && examples.length > 0 ? 0 : 1)
