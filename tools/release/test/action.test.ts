import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

import { NoOperationTraceWriter } from '@actions/workflow-parser'
import { parseAction } from '@actions/workflow-parser/actions/action-parser'
import { createEmulator } from '@concord/emulator'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { parse } from 'yaml'

import { root } from '../src/workspace-copy.ts'

const actionFolder = join(root, '.github/actions/verify')
const script = readFileSync(join(actionFolder, 'verify.mjs'), 'utf8')
const text = readFileSync(join(actionFolder, 'action.yml'), 'utf8')
const action = parse(text) as {
  inputs: Record<string, { description: string; default?: string }>
  runs: {
    using: string
    steps: readonly { id: string; shell: string; run: string; env: Record<string, string> }[]
  }
}
let folder: string

beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'concord-action-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Returns the problems that the CI host's parser finds. */
const problems = (content: string): string[] =>
  parseAction({ name: 'action.yml', content }, new NoOperationTraceWriter())
    .context.errors.getErrors()
    .map(({ message }) => message)

it('finds no mistakes in the action', () => {
  expect(problems(text)).toEqual([])
})

it.each([
  ['an unknown key', 'outputs:', 'output:', "Unexpected value 'output'"],
  ['a step without a shell', '      shell: bash\n', '', 'shell'],
  ['a context that does not exist', '${{ steps.verify', '${{ step.verify', 'step'],
])('finds %s in an action', (_what, good, bad, problem) => {
  expect(text).toContain(good)
  expect(problems(text.replace(good, bad)).join('\n')).toContain(problem)
})

it('passes every input through the environment, and none inside a script', () => {
  const [step] = action.runs.steps
  const passed = Object.keys(action.inputs).map((name) => [
    `VERIFY_${name.toUpperCase().replaceAll('-', '_')}`,
    `\${{ inputs.${name} }}`,
  ])
  expect(step?.env).toEqual(Object.fromEntries(passed))
  for (const [name = ''] of passed) expect(script).toContain(name)
  expect(step?.run).not.toContain('${{')
})

/** Runs the action like its host. `npx` runs the workspace's command instead of the published one. */
async function runAction(inputs: Record<string, string>, environment: Record<string, string> = {}) {
  const npx = join(folder, 'npx')
  const cli = join(root, 'packages/contract/src/cli.ts')
  writeFileSync(npx, `#!/bin/sh\necho "$1 $2"\nshift 2\nexec node --conditions=@concord/source ${cli} "$@"\n`)
  chmodSync(npx, 0o755)
  const outputs = join(folder, 'outputs')
  const [step] = action.runs.steps
  const values = Object.entries(step?.env ?? {}).map(([variable, expression]) => {
    const name = /inputs\.([\w-]+)/.exec(expression)?.[1] ?? ''
    return [variable, inputs[name] ?? action.inputs[name]?.default ?? '']
  })
  const env = {
    ...process.env,
    ...environment,
    ...(Object.fromEntries(values) as Record<string, string>),
    PATH: [folder, process.env['PATH']].join(delimiter),
    GITHUB_ACTION_PATH: actionFolder,
    GITHUB_OUTPUT: outputs,
  }
  const ran = promisify(execFile)('bash', ['-c', step?.run ?? ''], { cwd: folder, env })
  const result = await ran.then(
    ({ stdout }) => ({ code: 0, stdout }),
    ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
  )
  return { ...result, outputs: readFileSync(outputs, 'utf8') }
}

it('verifies a service, and writes a JUnit report', async () => {
  await using emulator = await createEmulator()
  const { baseUrl, apiKey } = (await emulator.serve({ services: ['extraction'] })).extraction
  const inputs = { contract: 'extraction', 'base-url': baseUrl, credentials: 'THE_KEY\n', version: '1.2.3' }
  const { code, stdout, outputs } = await runAction(inputs, { THE_KEY: apiKey })
  expect(stdout).toContain('--yes @concord/contract@1.2.3')
  expect([code, outputs]).toEqual([0, 'junit=reports/verify.xml\n'])
  expect(readFileSync(join(folder, 'reports/verify.xml'), 'utf8')).toContain('<testcase')
  expect(stdout).not.toContain(apiKey)
})

it('fails if too few operations are covered', async () => {
  await using emulator = await createEmulator()
  const { baseUrl, apiKey } = (await emulator.serve({ services: ['extraction'] })).extraction
  const inputs = {
    contract: 'extraction',
    'base-url': baseUrl,
    credentials: 'THE_KEY',
    'min-coverage': '100',
  }
  expect((await runAction(inputs, { THE_KEY: apiKey })).code).toBe(1)
})
