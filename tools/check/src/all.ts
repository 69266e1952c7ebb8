// Runs all checks, and prints a table of the results. Turbo takes the results of unchanged parts from its cache.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { countTests, describeTasks, skippedTests, type TaskRun, type TestCount } from './summary.ts'
import { root, workspaceFiles } from './workspace.ts'

const tasks = [
  'lint',
  'structure',
  'prose',
  'generated',
  'build',
  'typecheck',
  'test',
  'test:processes',
  'test:service',
  'consumers',
  'published',
  'docs',
  'examples',
]
const summaries = join(root, '.turbo', 'runs')
const words = process.argv.slice(2)

rmSync(summaries, { recursive: true, force: true })
const started = performance.now()
const turbo = spawnSync(
  'turbo',
  [
    'run',
    ...tasks,
    '--summarize',
    '--continue=dependencies-successful',
    '--output-logs=errors-only',
    '--log-order=grouped',
    '--concurrency=2',
    ...words,
  ],
  { cwd: root, stdio: 'inherit' },
)
if (turbo.error) throw turbo.error

const [file] = existsSync(summaries) ? readdirSync(summaries) : []
if (!file) {
  console.error(
    'turbo wrote no summary, so the results of the checks are unknown; see the output of turbo above',
  )
  process.exit(1)
}
const { tasks: ran } = JSON.parse(readFileSync(join(summaries, file), 'utf8')) as {
  tasks: readonly TaskRun[]
}

const folders = workspaceFiles('**/package.json').map((path) => join(root, path, '..'))
const reports = folders
  .flatMap((folder) => ['', 'service', 'processes'].map((task) => join(folder, 'reports', task, 'junit.xml')))
  .filter((path) => existsSync(path))
  .map((path) => readFileSync(path, 'utf8'))
const counts: TestCount[] = reports.map(countTests)
const total = counts.reduce(
  (sum, next) => ({
    tests: sum.tests + next.tests,
    failed: sum.failed + next.failed,
    skipped: sum.skipped + next.skipped,
  }),
  { tests: 0, failed: 0, skipped: 0 },
)

console.log(describeTasks(ran))
const failedTasks = ran.filter(
  (task) => task.execution?.exitCode !== undefined && task.execution.exitCode !== 0,
)
console.log(`${((performance.now() - started) / 1000).toFixed(1)} s`)
if (turbo.status !== 0) {
  const names = failedTasks.map((task) => task.taskId).join(', ')
  console.log(`${failedTasks.length} of ${ran.length} checks failed: ${names || 'see above'}`)
}
// A test is skipped if this machine lacks something, such as a browser. Skipped tests must not seem to have passed.
for (const name of reports.flatMap(skippedTests)) console.log(`SKIPPED: ${name}`)
const failed = Math.max(total.failed, failedTasks.length, turbo.status === 0 ? 0 : 1)
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : ''
console.log(`${total.tests - total.failed - total.skipped} passed, ${failed} failed${skipped}`)
process.exit(turbo.status === 0 && total.failed === 0 && total.tests > 0 ? 0 : 1)
