import type { ControlledClock } from '../core/clock.ts'
import type { Handler } from '../core/service.ts'
import type { SharedTools } from '../core/service-module.ts'
import type { Connection } from '../core/socket-service.ts'
import { Accounts } from './accounts.ts'
import type { SpeechChoices } from './choices.ts'
import { CharacterRate, Connections } from './limits.ts'
import type { SpeechCaller } from './model.ts'
import { SpeechScripts } from './scripts.ts'

/** The state of the speech service, for its handlers and its control interface. */
export interface SpeechContext {
  readonly clock: ControlledClock
  readonly choices: SpeechChoices
  readonly accounts: Accounts
  readonly connections: Connections
  readonly rate: CharacterRate
  readonly scripts: SpeechScripts
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
    rate: new CharacterRate(clock, choices.limits.charactersPerMinute),
    scripts: new SpeechScripts(),
  }
}
