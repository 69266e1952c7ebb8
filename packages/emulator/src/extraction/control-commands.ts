import { command, commonCommands } from '../core/common-commands.ts'
import type { ControlCommands } from '../core/control-http.ts'
import type { JsonObject } from '../core/specification.ts'
import type { NewBlueprint } from './blueprints.ts'
import type { ExtractionControl, ExtractionState } from './control.ts'
import type { JobScript } from './job-scripts.ts'

const TEXT: JsonObject = { type: 'string' }
const NUMBER: JsonObject = { type: 'number' }
const OBJECT: JsonObject = { type: 'object' }
const TIMES: JsonObject = { anyOf: [{ type: 'integer' }, { const: 'always' }] }

/** The control interface of the extraction service as commands over HTTP. */
export function extractionCommands(
  control: ExtractionControl,
  readState: () => ExtractionState,
): ControlCommands {
  return {
    ...commonCommands(control, readState),
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
