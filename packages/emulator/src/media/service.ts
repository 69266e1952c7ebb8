import { createApp } from '../core/app.ts'
import { toBasePath } from '../core/base-path.ts'
import { commandsOf } from '../core/control-commands.ts'
import { commonControl } from '../core/control.ts'
import { withControl } from '../core/control-http.ts'
import { EmulatorOptionsError } from '../core/errors.ts'
import { createFaults } from '../core/faults.ts'
import { createJournal } from '../core/journal.ts'
import { resolveChoices } from '../core/choices.ts'
import { refusalFacts } from '../core/refusals.ts'
import type { Service } from '../core/service.ts'
import type { RunningService } from '../core/service-module.ts'
import type { SharedTools } from '../core/shared-tools.ts'
import { loadSpecification } from '../core/specification.ts'
import { readFinalStatuses, readTransitions } from '../core/transitions.ts'
import { MEDIA_CHOICES } from './choices.ts'
import type { MediaContext, MediaHandler } from './context.ts'
import { MEDIA_COMMANDS, type MediaControl } from './control.ts'
import { createAvatar, deleteAvatar, getAvatar, updateAvatar } from './handlers/avatars.ts'
import { createDocument, deleteDocument, getDocument } from './handlers/documents.ts'
import { generate } from './handlers/generation.ts'
import { createUpload, getOrganization, queryUsage } from './handlers/management.ts'
import { consumeRealtimeSession, createRealtimeSession, getRealtimeSession } from './handlers/sessions.ts'
import { deleteTask, getTask } from './handlers/tasks.ts'
import { createKnowledge } from './knowledge.ts'
import { readModels } from './model-table.ts'
import type { MediaOrganization } from './model.ts'
import { withFurtherMoves } from './moves.ts'
import { toCredits, toTier, type MediaOptions } from './options.ts'
import { createOrganizations } from './organizations.ts'
import { createOutputs } from './outputs/outputs.ts'
import { MEDIA_PAGE_NAMES, mediaPages } from './pages.ts'
import { refuse } from './refusals.ts'
import { createSessions } from './sessions.ts'
import { readState } from './state.ts'
import { createSubmissions } from './submissions.ts'
import { createTaskScripts } from './task-scripts.ts'
import { createTasks } from './tasks.ts'
import { limitsOf } from './tiers.ts'
import { createUploads } from './uploads.ts'

/** Sets the media service up. */
export function createMediaService(options: MediaOptions, tools: SharedTools): RunningService {
  const { clock, random, log } = tools
  const choices = resolveChoices(MEDIA_CHOICES, options.choices ?? {})
  const tier = toTier(options.tier ?? 1)
  const credits = toCredits(options.credits ?? choices.credits.atStart)
  const basePath = toBasePath(options.basePath ?? '')
  const specification = loadSpecification('media/openapi.yaml')
  const operationIds = specification.operations.map(({ operationId }) => operationId)

  const journal = createJournal()
  const faults = createFaults(random, [...operationIds, ...MEDIA_PAGE_NAMES])
  const scripts = createTaskScripts(random, operationIds)
  const organizations = createOrganizations(clock, random, choices)
  const outputs = createOutputs(clock, random, choices)
  const uploads = createUploads(clock, random, choices)
  const knowledge = createKnowledge(clock, random, choices)
  const submissions = createSubmissions()
  const tasks = createTasks({
    clock,
    random,
    choices,
    scripts,
    log,
    checkMove: withFurtherMoves(readTransitions(specification, 'TaskStatus'), choices.taskMoves.further),
    finalStatuses: readFinalStatuses(specification, 'getTask'),
    concurrencyOf(name) {
      const organization = organizations.byName(name)
      return organization ? limitsOf(organization.tier, choices).concurrency : 0
    },
    charge: (task) => organizations.charge(task),
    refund: (task) => organizations.refund(task),
    makeOutputs: (task) => outputs.make(task),
  })
  const sessions = createSessions({
    clock,
    random,
    choices,
    checkMove: withFurtherMoves(
      readTransitions(specification, 'RealtimeSessionStatus'),
      choices.session.furtherMoves,
    ),
  })
  const context: MediaContext = {
    clock,
    random,
    choices,
    models: readModels(specification),
    organizations,
    tasks,
    submissions,
    outputs,
    uploads,
    inputs: {
      choices,
      allowLocalInputs: options.allowLocalInputs ?? false,
      findUpload: (uri, organization) => uploads.byUri(uri, organization),
    },
    knowledge,
    sessions,
  }

  const service: Service<MediaOrganization> = {
    name: 'media',
    choices,
    specification,
    handlers: mediaHandlers(context),
    pages: mediaPages(context),
    authenticate: (secret) => organizations.bySecret(secret),
    admit: () => undefined,
    bodyLimitBytes: () => choices.sizes.jsonBytes,
    refuse: (refusal) => refuse(choices, refusal.kind, refusalFacts(refusal)),
    responseHeaders: () => ({}),
    tolerates: ({ path }) =>
      choices.otherVersions === 'served' && path.toLowerCase() === 'header/x-service-version',
  }
  const app = createApp(service, { ...tools, faults, journal, basePath })

  function fill(secrets: readonly string[]): string[] {
    return secrets.map((secret) => organizations.addSecret(tier, credits, secret))
  }
  const [apiSecret, ...otherSecrets] = fill(options.apiSecrets ?? [choices.newIdentifier('secret', random)])
  if (apiSecret === undefined)
    throw new EmulatorOptionsError('apiSecrets must hold at least one secret, or be left out.')

  const control: MediaControl = {
    ...commonControl({ clock, faults, journal }),
    reset() {
      const parts = [journal, faults, scripts, organizations, outputs, uploads, knowledge, submissions]
      for (const part of [...parts, tasks, sessions]) part.clear()
      fill([apiSecret, ...otherSecrets])
    },
    scriptTasks: (script) => scripts.add(script),
    advanceTask: (id) => tasks.advance(id),
    completeTask: (id) => tasks.finish(id),
    failTask: (id, failure) => tasks.finish(id, failure),
    expireOutputs(id) {
      const task = id === undefined ? undefined : tasks.find(id)
      if (id !== undefined && !task) throw new EmulatorOptionsError(`There is no task ${id}.`)
      outputs.expire(task)
    },
    moveSession: (id, status) => sessions.move(id, status),
    addSecret: (secret) => organizations.addSecret(tier, credits, secret),
    setOrganization({ name, tier: newTier, credits: newCredits }) {
      const organization = name === undefined ? organizations.all()[0] : organizations.byName(name)
      if (!organization) throw new EmulatorOptionsError(`There is no organization ${name}.`)
      if (newTier !== undefined) organization.tier = toTier(newTier)
      if (newCredits !== undefined) organization.credits = toCredits(newCredits)
      tasks.fillRoom()
    },
    submissions: () => submissions.all(),
  }
  const read = () => readState(context)
  return {
    app: tools.control ? withControl(app, commandsOf(control, MEDIA_COMMANDS, read)) : app,
    addresses: { baseUrl: basePath },
    credentials: { apiSecret },
    control,
    readState: read,
  }
}

/** One handler for each operation of the contract. */
function mediaHandlers(context: MediaContext): Record<string, MediaHandler> {
  const generation = generate(context)
  return {
    imageToVideo: generation,
    textToVideo: generation,
    videoToVideo: generation,
    characterPerformance: generation,
    textToImage: generation,
    textToSpeech: generation,
    soundEffect: generation,
    voiceIsolation: generation,
    voiceDubbing: generation,
    speechToSpeech: generation,
    createAvatar: createAvatar(context),
    getAvatar: getAvatar(context),
    updateAvatar: updateAvatar(context),
    deleteAvatar: deleteAvatar(context),
    createRealtimeSession: createRealtimeSession(context),
    getRealtimeSession: getRealtimeSession(context),
    consumeRealtimeSession: consumeRealtimeSession(context),
    createDocument: createDocument(context),
    getDocument: getDocument(context),
    deleteDocument: deleteDocument(context),
    getTask: getTask(context),
    deleteTask: deleteTask(context),
    createUpload: createUpload(context),
    getOrganization: getOrganization(context),
    queryUsage: queryUsage(context),
  }
}
