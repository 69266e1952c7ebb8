import type { ControlledClock } from './clock.ts'
import { EmulatorOptionsError, required } from './errors.ts'
import { isCloseCode, type Fault, type FaultControl, type Faults } from './faults.ts'
import type { ConnectionRecord, RequestRecord, Records, Violation } from './records.ts'
import type { Json, JsonObject } from './json.ts'
import type { OpenConnection } from './socket-service.ts'

export interface ControlTools {
  readonly clock: ControlledClock
  readonly faults: Faults
  readonly records: Records
  openConnections(): readonly OpenConnection[]
  reset(): void
}

/** The part of the control interface that every service has. @public */
export abstract class ServiceControl {
  readonly clock: {
    /** The emulator's time, in milliseconds since the Unix epoch. */
    now(): number
    /** Moves the emulator's clock forward and runs the timers that become due, in order. */
    advance(ms: number): Promise<void>
    /** Resolves when no request is being handled and no background work is in progress. */
    settled(): Promise<void>
  }
  readonly faults: FaultControl
  /** Returns the requests so far, oldest first. */
  readonly requests: () => RequestRecord[]
  /** Returns the requests, responses and other messages that the contract rejected, oldest first. */
  readonly violations: () => Violation[]
  /** Clears all state and starts over, with the same credentials. */
  readonly reset: () => void

  constructor({ clock, faults, records, reset }: ControlTools) {
    this.reset = reset
    this.clock = {
      now: () => clock.now(),
      advance: (ms) => clock.advance(ms),
      settled: () => clock.settled(),
    }
    this.faults = {
      add: (fault) => faults.add(fault),
      list: () => faults.list(),
      clear: (id) => faults.clear(id),
    }
    this.requests = () => records.requests()
    this.violations = () => records.violations()
  }
}

/** The control interface of a service with WebSockets. @public */
export abstract class SocketControl extends ServiceControl {
  /** Returns all connections, open and closed, oldest first. */
  readonly connections: () => ConnectionRecord[]
  readonly #open: () => readonly OpenConnection[]

  constructor(tools: ControlTools) {
    super(tools)
    this.connections = () => tools.records.connections()
    this.#open = tools.openConnections
  }

  /** Sends JSON or bytes to the client of an open connection, even if the contract rejects the message. */
  readonly sendMessage = (connectionId: number, message: Json | Uint8Array): void =>
    this.#find(connectionId).sendRaw(message instanceof Uint8Array ? message : JSON.stringify(message))

  /** Closes an open connection, by default with code 1000. */
  readonly closeConnection = (
    connectionId: number,
    { code = 1000, reason = '' }: { code?: number; reason?: string } = {},
  ): void => {
    if (!isCloseCode(code))
      throw new EmulatorOptionsError('`code` must be 1000 to 1003, 1007 to 1014 or 3000 to 4999.')
    this.#find(connectionId).close(code, reason)
  }

  /** Ends an open connection without a closing handshake. */
  readonly dropConnection = (connectionId: number): void => this.#find(connectionId).terminate()

  #find(id: number): OpenConnection {
    const found = this.#open().find((candidate) => candidate.id === id)
    if (!found) throw new EmulatorOptionsError(`The connection ${id} is not open.`)
    return found
  }
}

type ArgumentSchemas = Readonly<Record<string, JsonObject>>

/** Maps the JSON object of an HTTP command to the arguments of a control method. */
interface CommandShape {
  /** The positional parameters of the method, in order. */
  readonly parameters?: ArgumentSchemas
  /** Whether the positional parameters are optional; by default all are required. */
  readonly optional?: boolean
  /** The members of the object that the method takes as its last argument. */
  readonly members?: ArgumentSchemas
  /** The required members; by default none. */
  readonly required?: readonly string[]
  /** Whether the method is read-only. A read-only method can be called with GET as well as POST. */
  readonly reads?: boolean
  /** For a result that is a string or a number: the name of the response member that contains it. */
  readonly returns?: string
}

export type CommandShapes<Control> = Readonly<
  Record<Exclude<keyof Control, keyof ServiceControl>, CommandShape>
>

interface ControlCommand {
  readonly arguments: ArgumentSchemas
  readonly optional?: readonly string[]
  readonly reads?: boolean
  run(values: never): unknown
}

export type ControlCommands = Readonly<Record<string, ControlCommand>>

export const TEXT: JsonObject = { type: 'string' }
export const NUMBER: JsonObject = { type: 'number' }
export const TIMES: JsonObject = { anyOf: [{ type: 'integer' }, { const: 'always' }] }

export const SOCKET_COMMANDS = {
  connections: { reads: true },
  sendMessage: { parameters: { connection: NUMBER, message: {} } },
  closeConnection: { parameters: { connection: NUMBER }, members: { code: NUMBER, reason: TEXT } },
  dropConnection: { parameters: { connection: NUMBER } },
} as const satisfies CommandShapes<SocketControl>

/** Returns a service's HTTP commands: the shared commands, and each control method under its name in kebab case. */
export function commandsOf<Control extends ServiceControl>(
  control: Control,
  shapes: CommandShapes<Control>,
  readState: () => object,
): ControlCommands {
  const methods = control as unknown as Readonly<Record<string, Method>>
  const own = Object.entries<CommandShape>(shapes).map(([method, shape]) => [
    method.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    toCommand((...values) => methods[method]?.(...values), shape),
  ])
  return { ...sharedCommands(control, readState), ...Object.fromEntries(own) }
}

type Method = (...values: unknown[]) => unknown

function toCommand(method: Method, shape: CommandShape): ControlCommand {
  const { parameters = {}, members, required = [], returns } = shape
  return {
    arguments: { ...parameters, ...members },
    optional: [
      ...(shape.optional ? Object.keys(parameters) : []),
      ...Object.keys(members ?? {}).filter((name) => !required.includes(name)),
    ],
    ...(shape.reads ? { reads: true } : {}),
    run(values: Record<string, unknown>) {
      const positional = Object.keys(parameters).map((name) => values[name])
      const rest = Object.fromEntries(
        Object.entries(values).filter(([name]) => !Object.hasOwn(parameters, name)),
      )
      const result = method(...positional, ...(members ? [rest] : []))
      return returns === undefined ? result : { [returns]: result }
    },
  }
}

function sharedCommands(control: ServiceControl, readState: () => object): ControlCommands {
  const { clock, faults } = control
  return {
    state: { arguments: {}, reads: true, run: readState },
    requests: { arguments: {}, reads: true, run: control.requests },
    violations: { arguments: {}, reads: true, run: control.violations },
    reset: { arguments: {}, run: control.reset },
    now: { arguments: {}, reads: true, run: () => ({ now: clock.now() }) },
    advance: {
      arguments: { ms: NUMBER },
      async run({ ms }: { ms: number }) {
        await clock.advance(ms)
        return { now: clock.now() }
      },
    },
    faults: { arguments: {}, reads: true, run: () => faults.list() },
    'add-fault': {
      arguments: { kind: TEXT, ...FAULT_DETAILS },
      optional: Object.keys(FAULT_DETAILS),
      run: (fault: Fault) => ({ id: faults.add(fault).id }),
    },
    'clear-faults': {
      arguments: { id: NUMBER },
      optional: ['id'],
      run({ id }: { id?: number }) {
        if (id !== undefined)
          required(
            faults.list().find((fault) => fault.id === id),
            `fault ${id}`,
          )
        faults.clear(id)
      },
    },
  }
}

const FAULT_DETAILS: ArgumentSchemas = {
  operation: { anyOf: [TEXT, { type: 'array', items: TEXT }] },
  times: TIMES,
  skip: NUMBER,
  probability: NUMBER,
  delayMs: NUMBER,
  upToMs: NUMBER,
  when: TEXT,
  keep: NUMBER,
  body: {},
  contentType: TEXT,
  status: NUMBER,
  handled: { type: 'boolean' },
  headers: { type: 'object', additionalProperties: TEXT },
  copies: NUMBER,
  code: NUMBER,
  reason: TEXT,
  afterReceived: NUMBER,
  afterSent: NUMBER,
  afterMs: NUMBER,
}
