/** A task in turbo's summary file. */
export interface TaskRun {
  readonly taskId: string
  readonly command: string
  readonly cache: { readonly status: 'HIT' | 'MISS' }
  readonly execution?: { readonly startTime: number; readonly endTime: number; readonly exitCode?: number }
}

export interface TestCount {
  readonly tests: number
  readonly failed: number
  readonly skipped: number
}

/** Counts the tests in a JUnit report. Throws if the report has no test cases. */
export function countTests(junit: string): TestCount {
  const cases = [...junit.matchAll(/<testcase\b[^>]*?(\/>|>([\s\S]*?)<\/testcase>)/g)]
  if (cases.length === 0) throw new Error('A JUnit report has no test cases, so it proves nothing.')
  let failed = 0
  let skipped = 0
  for (const [, , body = ''] of cases) {
    if (/<(failure|error)\b/.test(body)) failed += 1
    else if (body.includes('<skipped')) skipped += 1
  }
  return { tests: cases.length, failed, skipped }
}

export function skippedTests(junit: string): string[] {
  return [...junit.matchAll(/<testcase\b([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g)].flatMap(
    ([, attributes = '', body = '']) => {
      const name = /\bname="([^"]*)"/.exec(attributes)?.[1]
      return body.includes('<skipped') && name !== undefined ? [unescape(name)] : []
    },
  )
}

function unescape(text: string): string {
  const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }
  return text.replace(/&(lt|gt|quot|apos|amp);/g, (_whole, name: string) => named[name] ?? '')
}

export function describeTasks(tasks: readonly TaskRun[]): string {
  const rows = tasks
    .filter((task) => task.command !== '<NONEXISTENT>')
    .map((task) => {
      const { execution } = task
      const seconds = execution ? ((execution.endTime - execution.startTime) / 1000).toFixed(1) : ''
      if (task.cache.status === 'HIT') return [task.taskId, 'ok', 'cached']
      if (!execution || execution.exitCode === undefined) return [task.taskId, 'not run', '']
      return [task.taskId, execution.exitCode === 0 ? 'ok' : 'FAILED', `${seconds} s`]
    })
  const width = Math.max(0, ...rows.map(([name = '']) => name.length))
  return rows
    .map(([name = '', result = '', time = '']) => `  ${name.padEnd(width)}  ${result.padEnd(7)} ${time}`)
    .join('\n')
}
