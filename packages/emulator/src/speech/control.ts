import {
  NUMBER,
  SOCKET_COMMANDS,
  SocketControl,
  TEXT,
  TIMES,
  type CommandShapes,
  type ControlTools,
} from '../core/control.ts'
import { EmulatorOptionsError, required } from '../core/errors.ts'
import { TOKEN_LIFETIME_SECONDS } from './accounts.ts'
import type { OpenSpeech } from './limits.ts'
import type { ReplyScript, TranscriptScript } from './scripts.ts'
import type { SpeechContext } from './state.ts'

/** The control interface of the speech service. @public */
export class SpeechControl extends SocketControl {
  readonly #context: SpeechContext

  /** @internal */
  constructor(tools: ControlTools, context: SpeechContext) {
    super(tools)
    this.#context = context
  }

  /** Sets the words that the service hears in the next audio. */
  readonly scriptTranscript = (script: TranscriptScript): void => this.#context.transcripts.add(script)

  /** Sets the agent's next reply. */
  readonly scriptReply = (script: ReplyScript): void => this.#context.replies.add(script)

  /** Grants a JWT without a REST call. By default, the JWT is for the first API key and expires after 30 seconds. */
  readonly grantToken = (options: { key?: string; lifetimeSeconds?: number } = {}): string => {
    const { accounts } = this.#context
    const { key = accounts.keys()[0], lifetimeSeconds = TOKEN_LIFETIME_SECONDS } = options
    const known = accounts.keys().find((one) => one === key)
    return accounts.grant(required(known, 'API key'), lifetimeSeconds)
  }

  /** Adds an API key and returns it. If `key` is omitted, the emulator generates a key. */
  readonly addKey = (key: string = this.#context.accounts.newKey()): string => {
    this.#context.accounts.add(key)
    return key
  }

  /** Sets how many connections an API key may use at the same time. Existing connections stay open. */
  readonly setConnectionAllowance = (allowance: number): void => {
    this.#context.connections.allowance = toAllowance(allowance)
  }
}

export const SPEECH_COMMANDS: CommandShapes<SpeechControl> = {
  ...SOCKET_COMMANDS,
  scriptTranscript: {
    members: {
      text: TEXT,
      on: { enum: ['transcribe', 'liveTranscription', 'conversation', 'agent'] },
      times: TIMES,
    },
    required: ['text'],
  },
  scriptReply: { members: { text: TEXT, times: TIMES }, required: ['text'] },
  grantToken: { members: { key: TEXT, lifetimeSeconds: NUMBER }, returns: 'token' },
  addKey: { parameters: { key: TEXT }, optional: true, returns: 'key' },
  setConnectionAllowance: { parameters: { allowance: NUMBER } },
}

export function toAllowance(allowance: number): number {
  if (allowance > 0) return allowance
  throw new EmulatorOptionsError(
    `The connection allowance must be above 0, not ${allowance}. Correct \`connectionAllowance\`, \`choices.limits.connections\` or the argument of \`setConnectionAllowance\`.`,
  )
}

/** A snapshot of the speech service. It contains no secrets, so it is safe to print. @public */
export interface SpeechState {
  /** In milliseconds since the Unix epoch. */
  readonly now: number
  /** The number of API keys. */
  readonly keys: number
  readonly connectionAllowance: number
  readonly connections: OpenSpeech[]
}

export function readState({ clock, accounts, connections }: SpeechContext): SpeechState {
  return {
    now: clock.now(),
    keys: accounts.keys().length,
    connectionAllowance: connections.allowance,
    connections: connections.all().map((connection) => ({ ...connection })),
  }
}
