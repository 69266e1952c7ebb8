import { resolveChoices, type ChoiceOverrides } from '../core/choices.ts'
import { patienceInProcess, patienceOverSockets } from '../core/deliver.ts'
import { EmulatorOptionsError } from '../core/errors.ts'
import { denialFacts } from '../core/denials.ts'
import { runService } from '../core/run-service.ts'
import type { CoreDenial, Service } from '../core/service.ts'
import {
  toBasePath,
  toSeconds,
  type EmulatedService,
  type RunningService,
  type SharedTools,
} from '../core/service-module.ts'
import { loadSpecification, type Specification } from '../core/specification.ts'
import { EVERY_KEY, type NewBlueprint } from './blueprints.ts'
import { EXTRACTION_CHOICES, type ExtractionChoices } from './choices.ts'
import { EXTRACTION_COMMANDS, ExtractionControl, readState, type ExtractionState } from './control.ts'
import { blueprintHandlers } from './handlers/blueprints.ts'
import { deviceHandlers } from './handlers/device.ts'
import { documentHandlers } from './handlers/documents.ts'
import type { Account } from './model.ts'
import { extractionPages } from './pages.ts'
import { toPlan, type Plan, type PlanName } from './plans.ts'
import { deny } from './denials.ts'
import { createContext, type ExtractionContext } from './state.ts'
import { announce } from './webhooks.ts'

/** The options of the extraction service. @public */
export interface ExtractionOptions {
  /** The plan of every key: the name of one of the service's plans, or custom limits. By default, `pro`. */
  plan?: PlanName | Plan
  /** The API keys that are valid from the start; by default one new key. */
  readonly apiKeys?: readonly string[]
  /** Overrides choices; see `ExtractionChoices`. */
  readonly choices?: ChoiceOverrides<ExtractionChoices>
  /** How long a device code is valid, in seconds; by default 900, as documented. */
  readonly deviceCodeLifetimeSeconds?: number
  /** The minimum time between two polls with a device code, in seconds; by default 5, as documented. */
  readonly pollIntervalSeconds?: number
  /** Also accepts `http://` webhook URLs, for local receivers. The real service rejects them. Default: `false`. */
  readonly allowHttpWebhooks?: boolean
  /** The function that sends the webhooks; by default, the global `fetch`. */
  readonly webhookFetch?: (request: Request) => Promise<Response>
  /** Blueprints that every key sees from the start. */
  readonly blueprints?: readonly NewBlueprint[]
  /** The prefix of every path, for instance `/tenant`; by default none. */
  readonly basePath?: string
}

/** The base URL and the credential of the extraction service. @public */
export interface ServedExtraction {
  /** The base URL, without a trailing slash. */
  readonly baseUrl: string
  /** A valid API key. */
  apiKey: string
}

/** The extraction service, emulated in the current process. @public */
export interface EmulatedExtraction
  extends EmulatedService<ExtractionControl, ExtractionState>, ServedExtraction {}

export function createExtractionService(options: ExtractionOptions, tools: SharedTools): RunningService {
  const choices = resolveChoices(EXTRACTION_CHOICES, options.choices ?? {})
  const plan = toPlan(options.plan ?? 'pro')
  const basePath = toBasePath(options.basePath ?? '')
  const specification = loadSpecification('extraction/openapi.yaml')
  const delivery = {
    fetch: options.webhookFetch ?? ((request: Request) => fetch(request)),
    patience: options.webhookFetch ? patienceInProcess : patienceOverSockets,
  }
  const context = createContext(
    {
      choices,
      specification,
      plan,
      lifetimeSeconds: toSeconds('deviceCodeLifetimeSeconds', options.deviceCodeLifetimeSeconds ?? 900),
      intervalSeconds: toSeconds('pollIntervalSeconds', options.pollIntervalSeconds ?? 5),
      allowHttpWebhooks: options.allowHttpWebhooks ?? false,
      ended: (job) => announce(job, { ...tools, ...delivery, ...context, ...running, specification }),
    },
    tools,
  )
  const keys = options.apiKeys ?? [choices.newIdentifier('api-key', tools.random)]
  const [apiKey] = keys
  if (apiKey === undefined)
    throw new EmulatorOptionsError('`apiKeys` must contain at least one key, or be omitted.')
  const { scripts, accounts, blueprints, devices, jobs, optimizations } = context
  const running = runService(
    createService(context, specification),
    {
      basePaths: { baseUrl: basePath },
      credentials: { apiKey },
      pages: { 'Approve a device': basePath + choices.paths.device },
      state: [scripts, accounts, blueprints, devices, jobs, optimizations],
      fill() {
        for (const blueprint of options.blueprints ?? []) blueprints.add(EVERY_KEY, blueprint)
        for (const key of keys) accounts.add(plan, { key })
      },
      createControl: (controlTools) => new ExtractionControl(controlTools, context, plan),
      commands: EXTRACTION_COMMANDS,
      readState: () => readState(context),
    },
    tools,
  )
  return running
}

function createService(context: ExtractionContext, specification: Specification): Service<Account> {
  const { choices, accounts, allowHttpWebhooks } = context
  return {
    name: 'extraction',
    choices,
    readBody: (body) => choices.readBody(body),
    specification,
    handlers: {
      ...blueprintHandlers(context),
      ...deviceHandlers(context),
      ...documentHandlers(context),
    },
    pages: extractionPages(context),
    authenticate: (key) => accounts.find(key),
    admit(operation, account) {
      const denial = accounts.admit(account, operation.operationId)
      if (!denial || operation.responses.has('429')) return denial
      // If the contract has no 429 for the operation, its `default` response applies. That response has no
      // `x-rate-meaning`, so the denial must not have a `rateMeaning`.
      const { rateMeaning: _, ...withoutMeaning } = denial
      return withoutMeaning
    },
    bodyLimitBytes: (operation, account) =>
      operation.operationId === 'processDocument' && account
        ? account.plan.maxFileMb * choices.sizes.megabyteBytes + choices.sizes.formRoomBytes
        : choices.sizes.jsonBytes,
    deny(denial) {
      const plan = planOfLargeFile(denial)
      return plan
        ? deny(choices, 'file-too-large', { plan: plan.name, limit: plan.maxFileMb })
        : deny(choices, denial.kind, denialFacts(denial))
    },
    responseHeaders: (account) => accounts.quotaHeaders(account),
    tolerates: (mismatch) => allowHttpWebhooks && mismatch.path === 'body/webhook_url',
  }
}

function planOfLargeFile(denial: CoreDenial<Account>): Plan | undefined {
  if (denial.kind !== 'body-too-large') return undefined
  return denial.operation.operationId === 'processDocument' ? denial.caller?.plan : undefined
}
