import type { ControlledClock } from '../core/clock.ts'
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

/** The state of the speech service, for its handlers and its control interface. */
export interface SpeechContext {
  readonly clock: ControlledClock
  readonly choices: SpeechChoices
  readonly accounts: Accounts
  readonly connections: Connections
  /** The characters of each key. */
  readonly rate: RateWindows
  readonly transcripts: Scripts<TranscriptScript>
  readonly replies: Scripts<ReplyScript>
}

export type SpeechHandler = Handler<SpeechCaller>

export type SpeechConnection = Connection<SpeechCaller>

export function createContext(
  choices: SpeechChoices,
  allowance: number,
  { clock, random }: SharedTools,
): SpeechContext {
  return {
    clock,
    choices,
    accounts: new Accounts({ clock, random, choices }),
    connections: new Connections(allowance),
    rate: new RateWindows(clock, 60_000),
    transcripts: new Scripts(checkScript),
    replies: new Scripts(checkScript),
  }
}
