import { loadChannels, type ChannelSpecification } from '../core/channels.ts'
import { resolveChoices, type ChoiceOverrides } from '../core/choices.ts'
import { EmulatorOptionsError } from '../core/errors.ts'
import type { EmulatorSocketFactory } from '../core/memory-socket.ts'
import { reasonsOf, denialFacts } from '../core/denials.ts'
import { runService } from '../core/run-service.ts'
import type { Service } from '../core/service.ts'
import {
  toBasePath,
  type EmulatedService,
  type RunningService,
  type SharedTools,
} from '../core/service-module.ts'
import type { SocketService } from '../core/socket-service.ts'
import { loadSpecification, type Specification } from '../core/specification.ts'
import { admitCall, admitConnection, callersOf } from './admission.ts'
import { Agent } from './channels/agent.ts'
import { Conversation } from './channels/conversation.ts'
import { LiveTranscription } from './channels/live-transcription.ts'
import { readObject } from './channels/messages.ts'
import { SpeechStream } from './channels/speech-stream.ts'
import { SPEECH_CHOICES, type SpeechChoices } from './choices.ts'
import { readState, SPEECH_COMMANDS, SpeechControl, toAllowance, type SpeechState } from './control.ts'
import { restHandlers } from './handlers/rest.ts'
import type { SpeechCaller, SpeechChannel, SpeechTarget } from './model.ts'
import { speechPages } from './pages.ts'
import { deny } from './denials.ts'
import { createContext, type SpeechContext } from './state.ts'

/** The options of the speech service. @public */
export interface SpeechOptions {
  /** The API keys that are valid from the start; by default one new key. */
  readonly apiKeys?: readonly string[]
  /**
   * How many connections an API key may have open at the same time; by default the value of
   * `choices.limits.connections`. The documentation doesn't specify a number. A connection can count more than once
   * (see `choices.connectionWeight`).
   */
  readonly connectionAllowance?: number
  /** The path of the base URL `apiUrl`, for instance `/speech`; by default none. */
  readonly apiPath?: string
  /** The path of the base URL `agentUrl`; by default none. */
  readonly agentPath?: string
  /** Overrides choices; see `SpeechChoices`. */
  readonly choices?: ChoiceOverrides<SpeechChoices>
}

/** The base URLs and the credential of the speech service. @public */
export interface ServedSpeech {
  /** The base URL of all REST operations and WebSockets that don't use `agentUrl`, without a trailing slash. */
  readonly apiUrl: string
  /** The base URL of the voice agent and of the list of its language models, without a trailing slash. */
  readonly agentUrl: string
  /** A valid API key. */
  apiKey: string
}

/** The speech service, emulated in the current process. @public */
export interface EmulatedSpeech extends EmulatedService<SpeechControl, SpeechState>, ServedSpeech {
  /** Opens WebSockets in process. Pass it to a Concord client as `socketFactory`. */
  readonly socketFactory: EmulatorSocketFactory
}

export function createSpeechService(options: SpeechOptions, tools: SharedTools): RunningService {
  const choices = resolveChoices(SPEECH_CHOICES, options.choices ?? {})
  const allowance = toAllowance(options.connectionAllowance ?? choices.limits.connections)
  const basePaths = {
    apiUrl: toBasePath(options.apiPath ?? '', 'apiPath'),
    agentUrl: toBasePath(options.agentPath ?? '', 'agentPath'),
  }
  const context = createContext(choices, allowance, tools)
  const { accounts, connections, rate, transcripts, replies } = context
  const keys = options.apiKeys ?? [accounts.newKey()]
  const [apiKey] = keys
  if (apiKey === undefined)
    throw new EmulatorOptionsError('`apiKeys` must contain at least one key, or be omitted.')
  const specification = loadSpecification('speech/openapi.yaml')
  return runService(
    createService(context, specification, loadChannels('speech/asyncapi.yaml')),
    {
      basePaths,
      credentials: { apiKey },
      state: [transcripts, replies, accounts, rate],
      fill() {
        connections.allowance = allowance
        for (const key of keys) accounts.add(key)
      },
      createControl: (controlTools) => new SpeechControl(controlTools, context),
      commands: SPEECH_COMMANDS,
      readState: () => readState(context),
    },
    tools,
  )
}

function createService(
  context: SpeechContext,
  specification: Specification,
  channels: ChannelSpecification,
): Service<SpeechCaller> {
  const { choices } = context
  return {
    name: 'speech',
    choices,
    specification,
    handlers: restHandlers(context, specification, channels),
    pages: speechPages(context, specification),
    sockets: createSockets(context, channels),
    ...callersOf(context),
    admit: ({ operationId }, caller) =>
      caller ? admitCall(operationId as SpeechTarget, caller, context) : undefined,
    bodyLimitBytes: () => choices.limits.bodyBytes,
    deny: (denial) => deny(choices, denial.kind, denialFacts(denial)),
  }
}

function createSockets(context: SpeechContext, channels: ChannelSpecification): SocketService<SpeechCaller> {
  const { choices, connections } = context
  return {
    specification: channels,
    handlers: {
      liveTranscription: (connection) => new LiveTranscription(connection, context),
      conversation: (connection) => new Conversation(connection, context),
      speechStream: (connection) => new SpeechStream(connection, context),
      agent: (connection) => new Agent(connection, context),
    },
    admit: ({ caller, channel, query }) =>
      admitConnection(channel.id as SpeechChannel, query, caller, context),
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
