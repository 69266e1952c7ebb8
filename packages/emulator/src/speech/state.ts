import { RateWindows } from '../core/rate-windows.ts'
import { Scripts } from '../core/scripts.ts'
import type { Handler } from '../core/service.ts'
import type { SharedTools } from '../core/service-module.ts'
import type { Connection } from '../core/socket-service.ts'
import { Accounts } from './accounts.ts'
import type { SpeechChoices } from './choices.ts'
import { Connections } from './limits.ts'
import type { SpeechCaller } from './model.ts'
import { checkScript, type ReplyScript, type TranscriptScript } from './scripts.ts'

export type SpeechHandler = Handler<SpeechCaller>

export type SpeechConnection = Connection<SpeechCaller>

export function createContext(
  choices: SpeechChoices,
  allowance: number,
  { clock, random, log }: SharedTools,
) {
  return {
    clock,
    choices,
    accounts: new Accounts({ clock, random, log, choices }),
    connections: new Connections(allowance),
    /** Counts the characters that each key sent for synthesis. */
    rate: new RateWindows(clock, 60_000),
    transcripts: new Scripts<TranscriptScript>(checkScript),
    replies: new Scripts<ReplyScript>(checkScript),
  }
}

/** The state of the speech service, for its handlers and its control interface. */
export type SpeechContext = ReturnType<typeof createContext>
