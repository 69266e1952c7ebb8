import type { ServiceControl } from './control.ts'
import { EmulatorOptionsError } from './errors.ts'
import type { Fault } from './faults.ts'
import type { JsonObject } from './json.ts'

/** JSON Schemas of arguments, by name. */
export type ArgumentSchemas = Readonly<Record<string, JsonObject>>

/** One command of the control interface over HTTP. */
export interface ControlCommand {
  arguments: ArgumentSchemas
  /** The arguments that may be left out. */
  optional?: readonly string[]
  /** Whether it only reads, so that GET will do. */
  reads?: boolean
  /** Runs it with arguments that match the schemas. */
  run(values: never): unknown
}

/** The commands of a service, by name. */
export type ControlCommands = Readonly<Record<string, ControlCommand>>

/** How a method of the control interface is called with a JSON object of named arguments. */
export interface CommandShape {
  /** The method's positional parameters, in order. */
  parameters?: ArgumentSchemas
  /** Whether the positional parameters may be left out; by default all are required. */
  optional?: boolean
  /** The members of the object that the method takes last. */
  members?: ArgumentSchemas
  /** The members that are required; by default none. */
  required?: readonly string[]
  /** Whether the method only reads, so that GET will do. */
  reads?: boolean
  /** The name of the result, when the method returns a bare value. */
  returns?: string
}

/** A shape for each method that a service's control interface has besides the shared ones. */
export type CommandShapes<Control> = Readonly<
  Record<Exclude<keyof Control, keyof ServiceControl>, CommandShape>
>

export const TEXT: JsonObject = { type: 'string' }
export const NUMBER: JsonObject = { type: 'number' }
export const TIMES: JsonObject = { anyOf: [{ type: 'integer' }, { const: 'always' }] }

/** The HTTP commands of a service: the shared ones, and each method of its control interface by its name in kebab case. */
export function commandsOf<Control extends ServiceControl>(
  control: Control,
  shapes: CommandShapes<Control>,
  readState: () => object,
): ControlCommands {
  const own = Object.entries<CommandShape>(shapes).map(([method, shape]) => [
    method.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    toCommand((...values) => (control as unknown as Record<string, Method>)[method]?.(...values), shape),
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

/** The commands that every service has. */
function sharedCommands(control: ServiceControl, readState: () => object): ControlCommands {
  return {
    state: { arguments: {}, reads: true, run: readState },
    requests: { arguments: {}, reads: true, run: () => control.requests() },
    violations: { arguments: {}, reads: true, run: () => control.violations() },
    reset: { arguments: {}, run: () => control.reset() },
    now: { arguments: {}, reads: true, run: () => ({ now: control.clock.now() }) },
    advance: {
      arguments: { ms: NUMBER },
      async run({ ms }: { ms: number }) {
        await control.clock.advance(ms)
        return { now: control.clock.now() }
      },
    },
    faults: { arguments: {}, reads: true, run: () => control.faults.list() },
    'add-fault': {
      arguments: { kind: TEXT, ...FAULT_DETAILS },
      optional: Object.keys(FAULT_DETAILS),
      run: (fault: Fault) => ({ id: control.faults.add(fault).id }),
    },
    'clear-faults': {
      arguments: { id: NUMBER },
      optional: ['id'],
      run({ id }: { id?: number }) {
        if (id !== undefined && !control.faults.list().some((fault) => fault.id === id))
          throw new EmulatorOptionsError(`There is no fault ${id}.`)
        control.faults.clear(id)
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
