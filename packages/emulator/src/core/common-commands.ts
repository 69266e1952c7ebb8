import type { ServiceControl } from './control.ts'
import type { ControlCommand, ControlCommands } from './control-http.ts'
import type { Fault } from './faults.ts'
import type { JsonObject } from './specification.ts'

const TEXT: JsonObject = { type: 'string' }
const NUMBER: JsonObject = { type: 'number' }
const ANY: JsonObject = {}
const TIMES: JsonObject = { anyOf: [{ type: 'integer' }, { const: 'always' }] }

/** The commands that every service has over HTTP. */
export function commonCommands(control: ServiceControl, readState: () => object): ControlCommands {
  return {
    state: { arguments: {}, reads: true, run: readState },
    requests: { arguments: {}, reads: true, run: () => control.requests() },
    violations: { arguments: {}, reads: true, run: () => control.violations() },
    reset: { arguments: {}, run: () => control.reset() },
    now: { arguments: {}, reads: true, run: () => ({ now: control.clock.now() }) },
    advance: command({ ms: NUMBER }, async ({ ms }: { ms: number }) => {
      await control.clock.advance(ms)
      return { now: control.clock.now() }
    }),
    faults: { arguments: {}, reads: true, run: () => control.faults.list() },
    'add-fault': {
      arguments: { kind: TEXT, ...FAULT_DETAILS },
      optional: Object.keys(FAULT_DETAILS),
      run: (fault: Fault) => ({ id: control.faults.add(fault).id }),
    },
    'clear-faults': {
      arguments: { id: NUMBER },
      optional: ['id'],
      run: ({ id }: { id?: number }) => control.faults.clear(id),
    },
  }
}

const FAULT_DETAILS: Readonly<Record<string, JsonObject>> = {
  operation: { anyOf: [TEXT, { type: 'array', items: TEXT }] },
  times: TIMES,
  skip: NUMBER,
  probability: NUMBER,
  delayMs: NUMBER,
  upToMs: NUMBER,
  when: TEXT,
  keep: NUMBER,
  body: ANY,
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

/** A command whose arguments are all required. */
export function command<T>(
  properties: Readonly<Record<string, JsonObject>>,
  run: (values: T) => unknown,
): ControlCommand {
  return { arguments: properties, run }
}
