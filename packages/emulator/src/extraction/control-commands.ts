import type { ControlCommand, ControlCommands } from '../core/control-http.ts'
import type { Fault } from '../core/faults.ts'
import type { JsonObject } from '../core/specification.ts'
import type { NewBlueprint } from './blueprints.ts'
import type { ExtractionControl, ExtractionState } from './control.ts'
import type { JobScript } from './job-scripts.ts'

const TEXT: JsonObject = { type: 'string' }
const NUMBER: JsonObject = { type: 'number' }
const ANY: JsonObject = {}
const OBJECT: JsonObject = { type: 'object' }
const TIMES: JsonObject = { anyOf: [{ type: 'integer' }, { const: 'always' }] }

/** The control interface of the extraction service as commands over HTTP. */
export function extractionCommands(
  control: ExtractionControl,
  readState: () => ExtractionState,
): ControlCommands {
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
      arguments: {
        kind: TEXT,
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
      },
      optional: [
        'operation',
        'times',
        'skip',
        'probability',
        'delayMs',
        'upToMs',
        'when',
        'keep',
        'body',
        'contentType',
        'status',
        'handled',
        'headers',
        'copies',
      ],
      run: (fault: Fault) => ({ id: control.faults.add(fault).id }),
    },
    'clear-faults': {
      arguments: { id: NUMBER },
      optional: ['id'],
      run: ({ id }: { id?: number }) => control.faults.clear(id),
    },
    'script-jobs': {
      arguments: {
        outcome: TEXT,
        error: TEXT,
        in: TEXT,
        queuedMs: NUMBER,
        processingMs: NUMBER,
        times: TIMES,
      },
      optional: ['outcome', 'error', 'in', 'queuedMs', 'processingMs', 'times'],
      run: (script: JobScript) => control.scriptJobs(script),
    },
    'advance-job': command({ job_id: TEXT }, ({ job_id }: { job_id: string }) => control.advanceJob(job_id)),
    'complete-job': command({ job_id: TEXT }, ({ job_id }: { job_id: string }) =>
      control.completeJob(job_id),
    ),
    'fail-job': command(
      { job_id: TEXT, error: TEXT },
      ({ job_id, error }: { job_id: string; error: string }) => control.failJob(job_id, error),
    ),
    'approve-device': command({ user_code: TEXT }, ({ user_code }: { user_code: string }) =>
      control.approveDevice(user_code),
    ),
    'deny-device': command({ user_code: TEXT }, ({ user_code }: { user_code: string }) =>
      control.denyDevice(user_code),
    ),
    'advance-optimization': command({ job_id: TEXT }, ({ job_id }: { job_id: string }) =>
      control.advanceOptimization(job_id),
    ),
    'end-optimization': command(
      { job_id: TEXT, status: { enum: ['completed', 'failed', 'cancelled'] } },
      ({ job_id, status }: { job_id: string; status: 'completed' | 'failed' | 'cancelled' }) =>
        control.endOptimization(job_id, status),
    ),
    'add-blueprint': {
      arguments: {
        id: TEXT,
        name: TEXT,
        description: TEXT,
        documentType: TEXT,
        schema: OBJECT,
        accuracy: NUMBER,
      },
      optional: ['id', 'description', 'documentType', 'schema', 'accuracy'],
      run: (blueprint: NewBlueprint) => ({ id: control.addBlueprint(blueprint) }),
    },
    'add-key': {
      arguments: { key: TEXT, plan: TEXT },
      optional: ['key', 'plan'],
      run: (wanted: { key?: string; plan?: 'free' }) => ({ key: control.addKey(wanted) }),
    },
    'set-account': {
      arguments: { key: TEXT, plan: TEXT, pagesUsed: NUMBER },
      optional: ['plan', 'pagesUsed'],
      run: ({ key, ...account }: { key: string; plan?: 'free'; pagesUsed?: number }) =>
        control.setAccount(key, account),
    },
  }
}

function command<T>(
  properties: Readonly<Record<string, JsonObject>>,
  run: (values: T) => unknown,
): ControlCommand {
  return { arguments: properties, run }
}
