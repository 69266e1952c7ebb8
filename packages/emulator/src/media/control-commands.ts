import { command, commonCommands } from '../core/common-commands.ts'
import type { ControlCommands } from '../core/control-http.ts'
import type { JsonObject } from '../core/specification.ts'
import type { MediaControl, MediaState } from './control.ts'
import type { TaskScript } from './task-scripts.ts'
import type { MediaTierNumber } from './tiers.ts'

const TEXT: JsonObject = { type: 'string' }
const NUMBER: JsonObject = { type: 'number' }
const TEXTS: JsonObject = { anyOf: [TEXT, { type: 'array', items: TEXT }] }
const TIMES: JsonObject = { anyOf: [{ type: 'integer' }, { const: 'always' }] }

/** The control interface of the media service as commands over HTTP. */
export function mediaCommands(control: MediaControl, readState: () => MediaState): ControlCommands {
  const script = {
    outcome: TEXT,
    failure: TEXT,
    in: TEXT,
    pendingMs: NUMBER,
    runningMs: NUMBER,
    operation: TEXTS,
    model: TEXT,
    probability: NUMBER,
    times: TIMES,
  }
  return {
    ...commonCommands(control, readState),
    'script-tasks': {
      arguments: script,
      optional: Object.keys(script),
      run: (values: TaskScript) => control.scriptTasks(values),
    },
    'advance-task': command({ id: TEXT }, ({ id }: { id: string }) => control.advanceTask(id)),
    'complete-task': command({ id: TEXT }, ({ id }: { id: string }) => control.completeTask(id)),
    'fail-task': command({ id: TEXT, failure: TEXT }, ({ id, failure }: { id: string; failure: string }) =>
      control.failTask(id, failure),
    ),
    'expire-outputs': {
      arguments: { id: TEXT },
      optional: ['id'],
      run: ({ id }: { id?: string }) => control.expireOutputs(id),
    },
    'move-session': command(
      { id: TEXT, status: { enum: ['READY', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'] } },
      ({ id, status }: { id: string; status: 'READY' }) => control.moveSession(id, status),
    ),
    'add-secret': {
      arguments: { secret: TEXT },
      optional: ['secret'],
      run: ({ secret }: { secret?: string }) => ({ apiSecret: control.addSecret(secret) }),
    },
    'set-organization': {
      arguments: { name: TEXT, tier: NUMBER, credits: NUMBER },
      optional: ['name', 'tier', 'credits'],
      run: (wanted: { name?: string; tier?: MediaTierNumber; credits?: number }) =>
        control.setOrganization(wanted),
    },
    submissions: { arguments: {}, reads: true, run: () => control.submissions() },
  }
}
