import { parse } from 'yaml'

/** A step of a workflow, prepared for a local run. */
export interface LocalStep {
  /** In the form `workflow/job`. */
  readonly job: string
  /** The major version of Node that the job sets up. */
  readonly node: string
  /** The step's command. If the step has no command, its action. */
  readonly said: string
  /** The words of the command. Undefined for a step that needs the CI host. */
  readonly words: readonly string[] | undefined
  readonly env: Readonly<Record<string, string>>
}

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly env?: Readonly<Record<string, unknown>>
  readonly with?: Readonly<Record<string, unknown>>
}

interface Job {
  readonly env?: Readonly<Record<string, unknown>>
  readonly strategy?: { readonly matrix?: { readonly node?: readonly unknown[] } }
  readonly steps?: readonly Step[]
}

/** Actions to skip in a local run, which already has a clone and Node, and uploads nothing. */
const SET_UP = /^actions\/(?:checkout|setup-node|upload-artifact)@/

/** Returns the steps of a workflow. A job's steps are repeated for each Node version in the job's matrix. */
export function stepsOf(workflow: string, text: string): LocalStep[] {
  const { jobs = {}, env: shared = {} } = parse(text) as {
    jobs?: Readonly<Record<string, Job>>
    env?: Readonly<Record<string, unknown>>
  }
  return Object.entries(jobs).flatMap(([name, { steps = [], strategy, env: ofJob = {} }]) => {
    const setUp = steps.find(({ uses }) => uses?.startsWith('actions/setup-node@'))?.with?.['node-version']
    const versions = strategy?.matrix?.node ?? [setUp ?? 26]
    return versions.flatMap((version) =>
      steps
        .filter(({ uses }) => uses === undefined || !SET_UP.test(uses))
        .map((step): LocalStep => {
          const said = commandOf(step) ?? String(step.uses)
          return {
            job: `${workflow}/${name}`,
            node: String(version),
            said,
            words: wordsOf(said),
            env: plainOf({ ...shared, ...ofJob, ...step.env }),
          }
        }),
    )
  })
}

/** Returns the command of a step: its `run`, or the script that it passes to an action. */
function commandOf({ run, with: inputs = {} }: Step): string | undefined {
  const command = run ?? inputs['version-script'] ?? inputs['script']
  return command === undefined ? undefined : String(command)
}

/** Splits an npm command into words. Adds `--dry-run` to a command that publishes packages. */
function wordsOf(command: string): readonly string[] | undefined {
  if (!command.startsWith('npm ')) return undefined
  const words = command.split(/\s+/)
  const isPublishing = words[1] === 'run' && words[2] === 'release' && !words.includes('--dry-run')
  return isPublishing ? [...words, '--', '--dry-run'] : words
}

/** Leaves out variables whose values come from the CI host. */
function plainOf(env: Readonly<Record<string, unknown>>): Record<string, string> {
  const plain = Object.entries(env).filter(([, value]) => !String(value).includes('${{'))
  return Object.fromEntries(plain.map(([name, value]) => [name, String(value)]))
}
