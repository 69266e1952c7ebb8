import { createApp } from '../core/app.ts'
import { toBasePath } from '../core/base-path.ts'
import { loadChannels, type ChannelSpecification } from '../core/channels.ts'
import { commandsOf } from '../core/control-commands.ts'
import { commonControl } from '../core/control.ts'
import { withControl } from '../core/control-http.ts'
import { EmulatorOptionsError } from '../core/errors.ts'
import { createFaults } from '../core/faults.ts'
import { createJournal } from '../core/journal.ts'
import { resolveChoices } from '../core/choices.ts'
import type { Reply } from '../core/reply.ts'
import { reasonsOf, refusalFacts } from '../core/refusals.ts'
import type { Service } from '../core/service.ts'
import type { RunningService } from '../core/service-module.ts'
import type { SharedTools } from '../core/shared-tools.ts'
import { socketControl } from '../core/socket-control.ts'
import type { SocketService } from '../core/socket-service.ts'
import { loadSpecification, type Specification } from '../core/specification.ts'
import { createAccounts, TOKEN_LIFETIME_SECONDS } from './accounts.ts'
import { agent } from './channels/agent.ts'
import { conversation } from './channels/conversation.ts'
import { liveTranscription } from './channels/live-transcription.ts'
import { speechStream } from './channels/speech-stream.ts'
import { readObject } from './channels/event.ts'
import { createCharacterRate } from './character-rate.ts'
import { SPEECH_CHOICES } from './choices.ts'
import { createConnections } from './connections.ts'
import type { SpeechContext, SpeechHandler } from './context.ts'
import { SPEECH_COMMANDS, type SpeechControl, type SpeechState } from './control.ts'
import { synthesize, transcribe } from './handlers/audio.ts'
import { analyzeText, grantToken, listModels, listThinkModels } from './handlers/texts.ts'
import type { SpeechCaller, SpeechChannel, SpeechTarget } from './model.ts'
import { toAllowance, type SpeechOptions } from './options.ts'
import { PAGE_NAMES, speechPages } from './pages.ts'
import { refuse } from './refusals.ts'
import { createScripts } from './scripts.ts'

const NO_QUERY: URLSearchParams = new URLSearchParams()

/** Sets the speech service up. */
export function createSpeechService(options: SpeechOptions, tools: SharedTools): RunningService {
  const { clock, random } = tools
  const choices = resolveChoices(SPEECH_CHOICES, options.choices ?? {})
  const allowance = toAllowance(options.connectionAllowance ?? choices.limits.connections)
  const addresses = {
    apiUrl: toBasePath(options.apiPath ?? '', 'apiPath'),
    agentUrl: toBasePath(options.agentPath ?? '', 'agentPath'),
  }
  const specification = loadSpecification('speech/openapi.yaml')
  const channels = loadChannels('speech/asyncapi.yaml')
  const journal = createJournal()
  const faults = createFaults(random, [
    ...specification.operations.map(({ operationId }) => operationId),
    ...channels.channels.map(({ id }) => id),
    ...PAGE_NAMES,
  ])
  const accounts = createAccounts(clock, random, choices)
  const connections = createConnections(allowance)
  const rate = createCharacterRate(clock, choices.limits.charactersPerMinute)
  const scripts = createScripts()
  const context: SpeechContext = { clock, choices, accounts, connections, rate, scripts }

  const isExpired = ({ expiresAt }: SpeechCaller): boolean =>
    expiresAt !== undefined && clock.now() >= expiresAt
  const tooMany = () => refuse(choices, 'too-many-connections', { limit: connections.allowance })

  function admitCall(operation: SpeechTarget, caller: SpeechCaller, query = NO_QUERY): Reply | undefined {
    if (caller.expiresAt !== undefined) {
      const hasExpired = isExpired(caller)
      const credential = hasExpired ? 'expired-token' : 'token'
      if (!choices.acceptsCredential({ target: operation, credential }))
        return refuse(choices, hasExpired ? 'token-expired' : 'key-invalid')
    }
    const weight = choices.connectionWeight({ target: operation, query })
    return weight > 0 && connections.taken(caller.key) + weight > connections.allowance
      ? tooMany()
      : undefined
  }

  const publicCaller = (target: string): SpeechCaller | undefined => {
    const [key] = accounts.keys()
    const isPublic = choices.acceptsCredential({ target: target as SpeechTarget, credential: 'none' })
    return key !== undefined && isPublic ? { key } : undefined
  }

  const sockets: SocketService<SpeechCaller> = {
    specification: channels,
    handlers: {
      liveTranscription: liveTranscription(context),
      conversation: conversation(context),
      speechStream: speechStream(context),
      agent: agent(context),
    },
    authenticate: (value, scheme) => accounts.find(value, scheme),
    admit({ caller, channel, query }) {
      if (!caller) return refuse(choices, 'key-missing')
      if (isExpired(caller)) return refuse(choices, 'token-expired')
      const weight = choices.connectionWeight({ target: channel.id as SpeechChannel, query })
      return connections.take(caller.key, weight) ?? tooMany()
    },
    refuse: (refusal) =>
      refusal.kind === 'query-refused'
        ? refuse(choices, 'query-refused', { reasons: reasonsOf(refusal.mismatches) })
        : refuse(choices, refusal.kind),
    closeFor(cause, channel, connectionId) {
      const isSettled = connections.all().find(({ id }) => id === connectionId)?.settled ?? false
      return choices.closeFor({ channel: channel.id as SpeechChannel, cause, isSettled })
    },
    countsAsAudio: (frame) =>
      choices.binaryKeepAlive.countsAsAudio || readObject(frame)?.['type'] !== 'KeepAlive',
    publicCaller,
    messageLimitBytes: choices.limits.messageBytes,
  }

  const [anyOperation] = specification.operations
  const service: Service<SpeechCaller> = {
    name: 'speech',
    choices,
    publicCaller,
    specification,
    handlers: speechHandlers(context, specification, channels),
    pages: speechPages(context, {
      security: anyOperation?.security ?? [],
      publicCaller,
      admit: (caller) => admitCall('projects', caller),
    }),
    sockets,
    authenticate: (value, scheme) => accounts.find(value, scheme),
    admit: ({ operationId }, caller) => (caller ? admitCall(operationId as SpeechTarget, caller) : undefined),
    bodyLimitBytes: () => choices.limits.bodyBytes,
    refuse: (refusal) => refuse(choices, refusal.kind, refusalFacts(refusal)),
    responseHeaders: () => ({}),
    tolerates: () => false,
  }

  const app = createApp(service, { ...tools, faults, journal, basePath: addresses })
  if (!app.sockets) throw new EmulatorOptionsError('The contract of speech has no channels.')

  const [apiKey, ...otherKeys] = options.apiKeys ?? [choices.newApiKey(random)]
  if (apiKey === undefined)
    throw new EmulatorOptionsError('apiKeys must hold at least one key, or be left out.')
  for (const key of [apiKey, ...otherKeys]) accounts.add(key)

  const control: SpeechControl = {
    ...commonControl({ clock, faults, journal }),
    ...socketControl(app.sockets, journal),
    reset() {
      for (const connection of app.sockets?.open() ?? []) connection.terminate()
      for (const part of [journal, faults, scripts, accounts, rate]) part.clear()
      connections.allowance = allowance
      for (const key of [apiKey, ...otherKeys]) accounts.add(key)
    },
    scriptTranscript: (script) => scripts.addTranscript(script),
    scriptReply: (script) => scripts.addReply(script),
    grantToken({ key = apiKey, lifetimeSeconds = TOKEN_LIFETIME_SECONDS } = {}) {
      if (!accounts.keys().includes(key)) throw new EmulatorOptionsError('There is no such API key.')
      return accounts.grant(key, lifetimeSeconds)
    },
    addKey(key = choices.newApiKey(random)) {
      accounts.add(key)
      return key
    },
    setConnectionAllowance: (wanted) => void (connections.allowance = toAllowance(wanted)),
  }
  const readState = (): SpeechState => ({
    now: clock.now(),
    keys: accounts.keys().length,
    connectionAllowance: connections.allowance,
    connections: connections.all().map((connection) => ({ ...connection })),
  })
  return {
    app: tools.control ? withControl(app, commandsOf(control, SPEECH_COMMANDS, readState)) : app,
    addresses,
    credentials: { apiKey },
    control,
    readState,
  }
}

/** One handler for each operation of the contract. */
function speechHandlers(
  context: SpeechContext,
  specification: Specification,
  channels: ChannelSpecification,
): Record<string, SpeechHandler> {
  return {
    transcribe: transcribe(context),
    synthesize: synthesize(context),
    analyzeText: analyzeText(context),
    listModels: listModels(specification, channels),
    grantToken: grantToken(context),
    listThinkModels: listThinkModels(),
  }
}
