import type { Clock } from '../core/clock.ts'
import type { ConnectionHandler, Connection } from '../core/socket-service.ts'
import type { Handler } from '../core/service.ts'
import type { Accounts } from './accounts.ts'
import type { CharacterRate } from './character-rate.ts'
import type { SpeechChoices } from './choices.ts'
import type { Connections } from './connections.ts'
import type { SpeechCaller } from './model.ts'
import type { Scripts } from './scripts.ts'

/** Everything that the handlers of the speech service share. */
export interface SpeechContext {
  clock: Clock
  choices: SpeechChoices
  accounts: Accounts
  connections: Connections
  rate: CharacterRate
  scripts: Scripts
}

/** A handler of an operation of the speech service. */
export type SpeechHandler = Handler<SpeechCaller>

/** An open connection of the speech service. */
export type SpeechConnection = Connection<SpeechCaller>

/** Opens a channel of the speech service. */
export type SpeechChannelHandler = (connection: SpeechConnection) => ConnectionHandler
