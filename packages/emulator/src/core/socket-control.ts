import { NUMBER, TEXT, type CommandShape } from './control-commands.ts'
import { EmulatorOptionsError } from './errors.ts'
import { isCloseCode } from './faults.ts'
import type { Journal } from './journal.ts'
import type { Json } from './json.ts'
import type { OpenConnection } from './connection.ts'
import type { SocketApp } from './socket-app.ts'
import type { ConnectionRecord } from './socket-journal.ts'

/** What the control interface of a service with WebSockets can do besides. @public */
export interface SocketControl {
  /** The connections that there were and are, oldest first. */
  connections(): ConnectionRecord[]
  /** Sends a message to the client of an open connection, whatever the contract says: JSON, or bytes. */
  sendMessage(connectionId: number, message: Json | Uint8Array): void
  /** Closes an open connection. By default with code 1000. */
  closeConnection(connectionId: number, end?: { code?: number; reason?: string }): void
  /** Ends an open connection without a closing handshake. */
  dropConnection(connectionId: number): void
}

/** The part of the control interface that every service with WebSockets has in the same way. */
export function socketControl(sockets: SocketApp, journal: Journal): SocketControl {
  const find = (id: number): OpenConnection => {
    const connection = sockets.open().find((candidate) => candidate.id === id)
    if (!connection) throw new EmulatorOptionsError(`There is no open connection ${id}.`)
    return connection
  }
  return {
    connections: () => journal.connections(),
    sendMessage: (id, message) =>
      find(id).sendRaw(message instanceof Uint8Array ? message : JSON.stringify(message)),
    closeConnection(id, { code = 1000, reason = '' } = {}) {
      if (!isCloseCode(code))
        throw new EmulatorOptionsError('code must be 1000 to 1003, 1007 to 1014 or 3000 to 4999.')
      find(id).close(code, reason)
    },
    dropConnection: (id) => find(id).terminate(),
  }
}

/** How the methods of {@link SocketControl} are called over HTTP. */
export const SOCKET_COMMANDS = {
  connections: { reads: true },
  sendMessage: { parameters: { connection: NUMBER, message: {} } },
  closeConnection: { parameters: { connection: NUMBER }, members: { code: NUMBER, reason: TEXT } },
  dropConnection: { parameters: { connection: NUMBER } },
} as const satisfies Record<keyof SocketControl, CommandShape>
