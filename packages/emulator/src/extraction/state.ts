import { Background } from '../core/background.ts'
import type { Handler } from '../core/service.ts'
import { Scripts } from '../core/scripts.ts'
import type { SharedTools } from '../core/service-module.ts'
import type { Specification } from '../core/specification.ts'
import { readFinalStatuses, readTransitions } from '../core/transitions.ts'
import { Accounts } from './accounts.ts'
import { Blueprints } from './blueprints.ts'
import type { ExtractionChoices } from './choices.ts'
import { Devices } from './devices.ts'
import { checkScript, type JobScript } from './job-scripts.ts'
import { Jobs } from './jobs.ts'
import type { Account, Job } from './model.ts'
import { Optimizations } from './optimizations.ts'
import type { Plan } from './plans.ts'

export type ExtractionHandler = Handler<Account>

interface StateSettings {
  readonly choices: ExtractionChoices
  readonly specification: Specification
  plan: Plan
  readonly lifetimeSeconds: number
  readonly intervalSeconds: number
  readonly allowHttpWebhooks: boolean
  ended(job: Job): void
}

export function createContext(settings: StateSettings, tools: SharedTools) {
  const { choices, specification, plan, lifetimeSeconds, intervalSeconds, allowHttpWebhooks } = settings
  const { clock, random, log } = tools
  const background = new Background('extraction', tools)
  const shared = { clock, random, choices, log, background }
  const accounts = new Accounts(shared)
  const blueprints = new Blueprints(shared)
  const scripts = new Scripts<JobScript>(checkScript)
  const addAccount = () => accounts.add(plan, { fromDeviceFlow: true })
  return {
    ...shared,
    accounts,
    blueprints,
    scripts,
    allowHttpWebhooks,
    devices: new Devices({ ...shared, lifetimeSeconds, intervalSeconds, addAccount }),
    jobs: new Jobs({
      ...shared,
      scripts,
      checkMove: readTransitions(specification, 'JobStatus'),
      finalStatuses: readFinalStatuses(specification, 'getJob'),
      beforeCompletion: (job) => takePages(job, accounts, choices),
      ended: (job) => settings.ended(job),
    }),
    optimizations: new Optimizations({
      ...shared,
      blueprints,
      checkMove: readTransitions(specification, 'OptimizationJobStatus'),
      finalStatuses: readFinalStatuses(specification, 'getOptimizationJob'),
    }),
  }
}

/** The state of the extraction service, for its handlers and its control interface. */
export type ExtractionContext = ReturnType<typeof createContext>

/**
 * Counts a job's pages toward the quota, unless they were already counted on submission (see `choices.quota`).
 * Returns an error message if the quota has too few pages left.
 */
function takePages(job: Job, accounts: Accounts, choices: ExtractionChoices): string | undefined {
  const account = accounts.all().find(({ scope }) => scope === job.scope)
  if (choices.quota.counted === 'submitted' || !account) return undefined
  if (job.pageCount > accounts.pagesLeft(account)) return 'The monthly page quota is exceeded.'
  accounts.take(account, job.pageCount)
  return undefined
}
