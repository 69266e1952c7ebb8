import { createApp } from '../core/app.ts'
import { toBasePath } from '../core/base-path.ts'
import { commandsOf } from '../core/control-commands.ts'
import { commonControl } from '../core/control.ts'
import { EmulatorOptionsError } from '../core/errors.ts'
import { patienceInProcess, patienceOverSockets } from '../core/deliver.ts'
import { createFaults } from '../core/faults.ts'
import { createJournal } from '../core/journal.ts'
import { withControl } from '../core/control-http.ts'
import { resolveChoices } from '../core/choices.ts'
import { refusalFacts } from '../core/refusals.ts'
import type { Service } from '../core/service.ts'
import type { RunningService } from '../core/service-module.ts'
import type { SharedTools } from '../core/shared-tools.ts'
import { loadSpecification } from '../core/specification.ts'
import { readFinalStatuses, readTransitions } from '../core/transitions.ts'
import { createAccounts } from './accounts.ts'
import { createBlueprints, EVERYBODY } from './blueprints.ts'
import { EXTRACTION_CHOICES } from './choices.ts'
import type { ExtractionContext, ExtractionHandler } from './context.ts'
import { EXTRACTION_COMMANDS, type ExtractionControl } from './control.ts'
import { createDevices } from './devices.ts'
import { getBlueprint, listBlueprints, listPipelines } from './handlers/blueprints.ts'
import { createDeviceCode, pollDeviceToken } from './handlers/device.ts'
import { getJob, getPreview, processDocument } from './handlers/documents.ts'
import {
  getOptimizationJob,
  getOptimizedSchema,
  resumeOptimization,
  startOptimization,
} from './handlers/optimizer.ts'
import { createJobScripts } from './job-scripts.ts'
import { createJobs } from './jobs.ts'
import type { Account } from './model.ts'
import { toSeconds, type ExtractionOptions } from './options.ts'
import { toPlan } from './plans.ts'
import { createOptimizations } from './optimizer/optimizations.ts'
import { extractionPages, PAGE_NAMES } from './pages.ts'
import { refuse } from './refusals.ts'
import { readState } from './state.ts'
import { announce } from './webhooks.ts'

/** Sets the extraction service up. */
export function createExtractionService(options: ExtractionOptions, tools: SharedTools): RunningService {
  const { clock, random, log } = tools
  const choices = resolveChoices(EXTRACTION_CHOICES, options.choices ?? {})
  const plan = toPlan(options.plan ?? 'pro')
  const basePath = toBasePath(options.basePath ?? '')
  const allowHttpWebhooks = options.allowHttpWebhooks ?? false
  const specification = loadSpecification('extraction/openapi.yaml')
  const webhook = specification.webhooks.find(({ operationId }) => operationId === 'jobCompleted')
  if (!webhook) throw new EmulatorOptionsError('The contract of extraction has no webhook jobCompleted.')

  const journal = createJournal()

  const names = [...specification.operations, ...specification.webhooks].map(({ operationId }) => operationId)
  const faults = createFaults(random, [...names, ...PAGE_NAMES])
  const scripts = createJobScripts()
  const accounts = createAccounts(clock, random, choices)
  const blueprints = createBlueprints(clock, random)
  const devices = createDevices({
    clock,
    random,
    choices,
    log,
    lifetimeSeconds: toSeconds('deviceCodeLifetimeSeconds', options.deviceCodeLifetimeSeconds ?? 900),
    intervalSeconds: toSeconds('pollIntervalSeconds', options.pollIntervalSeconds ?? 5),
    addAccount: () => accounts.add(plan, { fromDeviceFlow: true }),
  })
  const jobs = createJobs({
    clock,
    random,
    choices,
    scripts,
    log,
    checkMove: readTransitions(specification, 'JobStatus'),
    finalStatuses: readFinalStatuses(specification, 'getJob'),
    beforeCompletion(job) {
      const account = accounts.all().find(({ scope }) => scope === job.scope)
      if (choices.quota.counted === 'submitted' || !account) return undefined
      if (job.pageCount > accounts.pagesLeft(account))
        return choices.failureReason({ cause: 'page-quota', details: [], job })
      accounts.take(account, job.pageCount)
      return undefined
    },
    ended: (job) =>
      announce(job, {
        clock,
        faults,
        journal,
        log,
        choices,
        oracle: app.oracle,
        operation: webhook,
        closing: tools.closing,
        fetch: options.webhookFetch ?? ((request) => fetch(request)),
        patience: options.webhookFetch ? patienceInProcess : patienceOverSockets,
      }),
  })
  const optimizations = createOptimizations({
    clock,
    random,
    choices,
    blueprints,
    log,
    checkMove: readTransitions(specification, 'OptimizationJobStatus'),
    finalStatuses: readFinalStatuses(specification, 'getOptimizationJob'),
  })
  const context: ExtractionContext = {
    clock,
    choices,
    accounts,
    blueprints,
    devices,
    jobs,
    optimizations,
    allowHttpWebhooks,
  }

  const service: Service<Account> = {
    name: 'extraction',
    choices,
    readBody: (body) => choices.readBody(body),
    specification,
    handlers: extractionHandlers(context),
    pages: extractionPages(context),
    authenticate: (key) => accounts.find(key),
    admit(operation, account) {
      const refusal = accounts.admit(account, operation.operationId)
      if (!refusal || operation.responses.has('429')) return refusal
      // Where the contract lists no 429, it does not say what one means either.
      const { rateMeaning: _, ...withoutMeaning } = refusal
      return withoutMeaning
    },
    bodyLimitBytes: (operation, account) =>
      operation.operationId === 'processDocument' && account
        ? account.plan.maxFileMb * choices.sizes.megabyteBytes + choices.sizes.formRoomBytes
        : choices.sizes.jsonBytes,
    refuse(refusal) {
      const { caller, operation } = { caller: undefined, operation: undefined, ...refusal }
      return refusal.kind === 'body-too-large' && caller && operation?.operationId === 'processDocument'
        ? refuse(choices, 'file-too-large', { plan: caller.plan.name, limit: caller.plan.maxFileMb })
        : refuse(choices, refusal.kind, refusalFacts(refusal))
    },
    responseHeaders: (account) => accounts.quotaHeaders(account),
    tolerates: (mismatch) => allowHttpWebhooks && mismatch.path === 'body/webhook_url',
  }

  const app = createApp(service, { ...tools, faults, journal, basePath })

  function fill(keys: readonly string[]): string[] {
    for (const blueprint of options.blueprints ?? []) blueprints.add(EVERYBODY, blueprint)
    return keys.map((key) => accounts.add(plan, { key }).key)
  }
  const [apiKey, ...otherKeys] = fill(options.apiKeys ?? [choices.newIdentifier('api-key', random)])
  if (apiKey === undefined)
    throw new EmulatorOptionsError('apiKeys must hold at least one key, or be left out.')

  const control: ExtractionControl = {
    ...commonControl({ clock, faults, journal }),
    reset() {
      for (const part of [journal, faults, scripts, accounts, blueprints, devices, jobs, optimizations])
        part.clear()
      fill([apiKey, ...otherKeys])
    },
    scriptJobs: (script) => scripts.add(script),
    advanceJob: (id) => jobs.advance(id),
    completeJob: (id) => jobs.finish(id),
    failJob: (id, error) => jobs.finish(id, error),
    approveDevice: (userCode) => void devices.decide(userCode, 'approved'),
    denyDevice: (userCode) => void devices.decide(userCode, 'denied'),
    advanceOptimization: (id) => optimizations.advance(id),
    endOptimization: (id, status) => optimizations.end(id, status),
    addBlueprint: (blueprint) => blueprints.add(EVERYBODY, blueprint).id,
    addKey: (wanted = {}) =>
      accounts.add(
        wanted.plan === undefined ? plan : toPlan(wanted.plan),
        wanted.key === undefined ? {} : { key: wanted.key },
      ).key,
    setAccount(key, { plan: newPlan, pagesUsed }) {
      const account = accounts.find(key)
      if (!account) throw new EmulatorOptionsError('There is no such API key.')
      if (newPlan !== undefined) account.plan = toPlan(newPlan)
      if (pagesUsed !== undefined) account.pagesUsed = pagesUsed
    },
  }
  const read = () => readState(context)
  return {
    app: tools.control ? withControl(app, commandsOf(control, EXTRACTION_COMMANDS, read)) : app,
    addresses: { baseUrl: basePath },
    pages: { 'Approve a device': basePath + choices.paths.device },
    credentials: { apiKey },
    control,
    readState: read,
  }
}

/** One handler for each operation of the contract. */
function extractionHandlers(context: ExtractionContext): Record<string, ExtractionHandler> {
  return {
    createDeviceCode: createDeviceCode(context),
    pollDeviceToken: pollDeviceToken(context),
    processDocument: processDocument(context),
    getJob: getJob(context),
    getPreview: getPreview(context),
    listPipelines: listPipelines(),
    listBlueprints: listBlueprints(context),
    getBlueprint: getBlueprint(context),
    startOptimization: startOptimization(context),
    resumeOptimization: resumeOptimization(context),
    getOptimizationJob: getOptimizationJob(context),
    getOptimizedSchema: getOptimizedSchema(context),
  }
}
