import { isScalar, parseDocument, visit, type Pair, type Scalar } from 'yaml'

interface Workflow {
  readonly permissions?: unknown
  readonly jobs?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/**
 * Returns the places where a workflow breaks our own rules. One rule is that commands must be npm scripts, because
 * these also run on a developer's machine.
 *
 * @param scripts - The names of the scripts in the root package.json.
 */
export function checkWorkflow(text: string, scripts: readonly string[]): string[] {
  const document = parseDocument(text)
  const problems = document.errors.map(({ message }) => message)
  if (problems.length > 0) return problems
  const workflow = document.toJS() as Workflow
  if (workflow.permissions === undefined)
    problems.push('`permissions` is missing, so the default of the repository applies')
  else if (JSON.stringify(workflow.permissions).includes('write'))
    problems.push('the whole workflow has a write permission; move it to the job that needs it')
  for (const [name, job] of Object.entries(workflow.jobs ?? {}))
    if (job['timeout-minutes'] === undefined) problems.push(`jobs.${name} has no timeout-minutes`)
  visit(document, {
    Pair(_key, pair) {
      if (!isNamed(pair) || !isScalar(pair.value)) return
      if (pair.key.value === 'uses') problems.push(...usesProblems(pair.value))
      if (pair.key.value === 'run') problems.push(...runProblems(String(pair.value.value), scripts))
    },
  })
  return problems
}

const isNamed = (pair: Pair): pair is Pair<Scalar> => isScalar(pair.key)

/** An action must be pinned to a commit, because its author can move a tag to different code. */
function usesProblems({ value, comment }: Scalar): string[] {
  const isPinned =
    /^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/.test(String(value)) && /^ v\d+\.\d+\.\d+/.test(comment ?? '')
  return isPinned
    ? []
    : [`uses: ${String(value)} is not pinned to a commit hash, or has no comment with its release (# vX.Y.Z)`]
}

function runProblems(run: string, scripts: readonly string[]): string[] {
  const script = /^npm (?:run ([\w:-]+)|(test))(?: -- [^|&;<>$`\n]+)?$/.exec(run)
  if (script) {
    const name = script[1] ?? script[2] ?? ''
    return scripts.includes(name) ? [] : [`run: the root package.json has no script ${name}`]
  }
  return /^gh pr comment [^|&;<>`\n]+$/.test(run) ? [] : [`run: \`${run}\` belongs in an npm script`]
}
