import { NUMBER, TEXT, TIMES, type CommandShapes } from '../core/control-commands.ts'
import type { ServiceControl } from '../core/control.ts'
import { SOCKET_COMMANDS, type SocketControl } from '../core/socket-control.ts'
import type { SpeechChannel } from './model.ts'
import type { ReplyScript, TranscriptScript } from './scripts.ts'

/** What the control interface of the speech service can do. @public */
export interface SpeechControl extends ServiceControl, SocketControl {
  /** Says what is heard in the next audio. */
  scriptTranscript(script: TranscriptScript): void
  /** Says what the agent answers next. */
  scriptReply(script: ReplyScript): void
  /** Grants a JWT without a call; by default to the first key, for 30 seconds. */
  grantToken(options?: { key?: string; lifetimeSeconds?: number }): string
  /** Adds an API key; answers it. */
  addKey(key?: string): string
  /** Says how many connections of a key may be open at once; those that are open stay. */
  setConnectionAllowance(allowance: number): void
}

/** How the methods of {@link SpeechControl} are called over HTTP. */
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

/** What the speech service knows at a moment: copies without secrets, safe to print. @public */
export interface SpeechState {
  /** In milliseconds since the Unix epoch. */
  now: number
  /** How many API keys there are. */
  keys: number
  connectionAllowance: number
  connections: {
    id: number
    channel: SpeechChannel
    openedAt: number
    /** Milliseconds of audio that were heard. */
    heardMs: number
    /** Whether a binary KeepAlive stalled it; on live transcription. */
    stalled?: boolean
    /** Whether its Settings are acknowledged; on the agent. */
    settled?: boolean
    /** Characters that were spoken; on the speech stream. */
    characters?: number
  }[]
}
