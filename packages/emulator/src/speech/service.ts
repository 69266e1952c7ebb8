import { createApp } from '../core/app.ts'
import { loadChannels, type ChannelSpecification } from '../core/channels.ts'
import { resolveChoices, type ChoiceOverrides } from '../core/choices.ts'
import { withControl } from '../core/control-http.ts'
import { commandsOf } from '../core/control.ts'
import { EmulatorOptionsError } from '../core/errors.ts'
import { createFaults } from '../core/faults.ts'
import { createRecords } from '../core/records.ts'
import type { EmulatorSocketFactory } from '../core/memory-socket.ts'
import { reasonsOf, denialFacts } from '../core/denials.ts'
import type { Reply } from '../core/reply.ts'
import type { Service } from '../core/service.ts'
import {
  toBasePath,
  type EmulatedService,
  type RunningService,
  type SharedTools,
} from '../core/service-module.ts'
import type { SocketService } from '../core/socket-service.ts'
import { loadSpecification, type Specification } from '../core/specification.ts'
import { agent } from './channels/agent.ts'
import { conversation } from './channels/conversation.ts'
import { liveTranscription } from './channels/live-transcription.ts'
import { readObject } from './channels/messages.ts'
import { speechStream } from './channels/speech-stream.ts'
import { SPEECH_CHOICES, type SpeechChoices } from './choices.ts'
import { readState, SPEECH_COMMANDS, SpeechControl, toAllowance, type SpeechState } from './control.ts'
import { audioHandlers } from './handlers/audio.ts'
import { textHandlers } from './handlers/texts.ts'
import type { SpeechCaller, SpeechChannel, SpeechTarget } from './model.ts'
import { PAGE_NAMES, speechPages } from './pages.ts'
import { deny } from './denials.ts'
import { createContext, type SpeechContext } from './state.ts'

/** The options of the speech service. @public */
export interface SpeechOptions {
  /** The API keys that are valid from the start; by default one new key. */
  readonly apiKeys?: readonly string[]
  /**
   * How many connections a key may have open at the same time; expensive ones count more than once. By default the choice
   * `limits.connections`.
   */
  readonly connectionAllowance?: number
  /** The prefix of the paths under `apiUrl`, for instance `/speech`; by default none. */
  readonly apiPath?: string
  /** The prefix of the paths under `agentUrl`; by default none. */
  readonly agentPath?: string
  /** Overrides choices; see `SpeechChoices`. */
  readonly choices?: ChoiceOverrides<SpeechChoices>
}

/** The base URLs and the credential of the speech service. @public */
export interface ServedSpeech {
  /** The base URL of the REST operations and the speech WebSockets, without a trailing slash. */
  readonly apiUrl: string
  /** The base URL of the voice agent and its language models, without a trailing slash. */
  readonly agentUrl: string
  /** A valid API key. */
  apiKey: string
}

/** The speech service in process. @public */
export interface EmulatedSpeech extends EmulatedService<SpeechControl, SpeechState>, ServedSpeech {
  /** Opens WebSockets in process. Pass it to a Concord client as `socketFactory`. */
  readonly socketFactory: EmulatorSocketFactory
}

const NO_QUERY: URLSearchParams = new URLSearchParams()

export function createSpeechService(options: SpeechOptions, tools: SharedTools): RunningService {
  const { clock, random } = tools
  const choices = resolveChoices(SPEECH_CHOICES, options.choices ?? {})
  const allowance = toAllowance(options.connectionAllowance ?? choices.limits.connections)
  const basePaths = {
    apiUrl: toBasePath(options.apiPath ?? '', 'apiPath'),
    agentUrl: toBasePath(options.agentPath ?? '', 'agentPath'),
  }
  const specification = loadSpecification('speech/openapi.yaml')
  const channels = loadChannels('speech/asyncapi.yaml')
  const records = createRecords()
  const faults = createFaults(random, [
    ...specification.operations.map(({ operationId }) => operationId),
    ...channels.channels.map(({ id }) => id),
    ...PAGE_NAMES,
  ])
  const context = createContext(choices, allowance, tools)
  const service = createService(context, specification, channels)
  const app = createApp(service, { ...tools, faults, records, basePath: basePaths })

  const { accounts, connections, rate, scripts } = context
  const newKey = () => choices.newApiKey(random)
  const keys = options.apiKeys ?? [newKey()]
  const [apiKey] = keys
  if (apiKey === undefined)
    throw new EmulatorOptionsError('apiKeys must contain at least one key, or be left out.')
  for (const key of keys) accounts.add(key)
  const open = () => app.sockets?.open() ?? []
  const reset = () => {
    for (const connection of open()) connection.terminate()
    for (const part of [records, faults, scripts, accounts, rate]) part.clear()
    connections.allowance = allowance
    for (const key of keys) accounts.add(key)
  }
  const control = new SpeechControl({ clock, faults, records }, context, { open, newKey, reset })
  const read = () => readState(context)
  return {
    app: tools.control ? withControl(app, commandsOf(control, SPEECH_COMMANDS, read)) : app,
    basePaths,
    credentials: { apiKey },
    control,
    readState: read,
  }
}

function createService(
  context: SpeechContext,
  specification: Specification,
  channels: ChannelSpecification,
): Service<SpeechCaller> {
  const { choices, accounts } = context
  const [anyOperation] = specification.operations
  return {
    name: 'speech',
    choices,
    specification,
    handlers: { ...audioHandlers(context), ...textHandlers(context, specification, channels) },
    pages: speechPages(context, {
      security: anyOperation?.security ?? [],
      publicCaller: (target) => publicCaller(target, context),
      admit: (caller) => admitCall('projects', caller, context),
    }),
    sockets: createSockets(context, channels),
    authenticate: (value, scheme) => accounts.find(value, scheme),
    publicCaller: (operation) => publicCaller(operation, context),
    admit: ({ operationId }, caller) =>
      caller ? admitCall(operationId as SpeechTarget, caller, context) : undefined,
    bodyLimitBytes: () => choices.limits.bodyBytes,
    deny: (denial) => deny(choices, denial.kind, denialFacts(denial)),
    responseHeaders: () => ({}),
    tolerates: () => false,
  }
}

function createSockets(context: SpeechContext, channels: ChannelSpecification): SocketService<SpeechCaller> {
  const { choices, accounts, connections } = context
  return {
    specification: channels,
    handlers: {
      liveTranscription: liveTranscription(context),
      conversation: conversation(context),
      speechStream: speechStream(context),
      agent: agent(context),
    },
    authenticate: (value, scheme) => accounts.find(value, scheme),
    publicCaller: (channel) => publicCaller(channel, context),
    admit({ caller, channel, query }) {
      if (!caller) return deny(choices, 'key-missing')
      if (isExpired(caller, context)) return deny(choices, 'token-expired')
      const weight = choices.connectionWeight({ target: channel.id as SpeechChannel, query })
      return connections.take(caller.key, weight) ?? tooMany(context)
    },
    deny: (denial) =>
      denial.kind === 'query-rejected'
        ? deny(choices, 'query-rejected', { reasons: reasonsOf(denial.mismatches) })
        : deny(choices, denial.kind),
    closeFor(cause, channel, connectionId) {
      const isSettled = connections.all().find(({ id }) => id === connectionId)?.settled ?? false
      return choices.closeFor({ channel: channel.id as SpeechChannel, cause, isSettled })
    },
    countsAsAudio: (frame) =>
      choices.binaryKeepAlive.countsAsAudio || readObject(frame)?.['type'] !== 'KeepAlive',
    messageLimitBytes: choices.limits.messageBytes,
  }
}

function isExpired({ expiresAt }: SpeechCaller, { clock }: SpeechContext): boolean {
  return expiresAt !== undefined && clock.now() >= expiresAt
}

function tooMany({ choices, connections }: SpeechContext): Reply {
  return deny(choices, 'too-many-connections', { limit: connections.allowance })
}

/** Denies a REST call if its token isn't accepted or it would exceed the connection limit. */
function admitCall(target: SpeechTarget, caller: SpeechCaller, context: SpeechContext): Reply | undefined {
  const { choices, connections } = context
  if (caller.expiresAt !== undefined) {
    const hasExpired = isExpired(caller, context)
    const credential = hasExpired ? 'expired-token' : 'token'
    if (!choices.acceptsCredential({ target, credential }))
      return deny(choices, hasExpired ? 'token-expired' : 'key-invalid')
  }
  const weight = choices.connectionWeight({ target, query: NO_QUERY })
  const isTooMuch = weight > 0 && connections.taken(caller.key) + weight > connections.allowance
  return isTooMuch ? tooMany(context) : undefined
}

/** Returns the caller of a target that needs no credential: the first key. */
function publicCaller(target: string, { choices, accounts }: SpeechContext): SpeechCaller | undefined {
  const [key] = accounts.keys()
  const isPublic = choices.acceptsCredential({ target: target as SpeechTarget, credential: 'none' })
  return key !== undefined && isPublic ? { key } : undefined
}
