import { check, listIssues } from '../core/check.ts'
import { type ConcordError, ContractDriftError, type Issue } from '../core/errors.ts'
import { toPointer } from '../core/json-pointer.ts'
import type { OpenEnumDescriptor } from '../core/operation.ts'
import { warn } from '../core/warn.ts'
import { isPromise } from '../core/is-promise.ts'
import type { ValidationMode } from './call-options.ts'
import type { ClientCore } from './core.ts'
import { deadlineOver, type TimeFrame } from './failure.ts'
import { inTime } from './in-time.ts'
import type { AnswerPlan, Plan } from './prepare.ts'
import { notChecked, uncheckedBy, uncheckedError } from './unchecked.ts'

/** Checks a decoded answer. What it gives is a promise only where there are reasons to be loaded, or a schema takes time. */
export function checkAnswer(
  core: ClientCore,
  plan: Plan,
  answer: AnswerPlan,
  status: number,
  data: unknown,
  mode: ValidationMode,
  frame: TimeFrame,
  signals: readonly AbortSignal[],
): undefined | Promise<undefined> {
  const descriptor = answer.descriptor.check
  if (descriptor === undefined) return settle(core, plan, answer, status, data, mode, undefined)
  const found = check(descriptor, data, plan.operation)
  if (!isPromise(found)) return settle(core, plan, answer, status, data, mode, found)
  const { deadlineMs = Infinity, callBeganMs } = frame
  const time = { clock: core.clock, leftMs: callBeganMs + deadlineMs - core.clock.monotonic(), signals }
  return inTime(found, time, () => deadlineOver(plan.operation.id, frame, core.clock.monotonic())).then(
    (issues) => settle(core, plan, answer, status, data, mode, issues),
    (error: unknown) => {
      // The answer is there: what would check it came too late, or not at all.
      if (signals.some(({ aborted }) => aborted)) throw error
      return settle(core, plan, answer, status, data, mode, undefined, uncheckedBy(error))
    },
  )
}

function settle(
  core: ClientCore,
  plan: Plan,
  answer: AnswerPlan,
  status: number,
  data: unknown,
  mode: ValidationMode,
  found: readonly Issue[] | undefined,
  unchecked?: ConcordError,
): undefined {
  const { openEnums } = answer.descriptor
  // The usual case: nothing to tell, and nothing to allocate for it.
  if (
    found === undefined &&
    openEnums === undefined &&
    answer.undocumented === undefined &&
    unchecked === undefined
  )
    return undefined
  const issues = [...(found ?? [])]
  if (unchecked !== undefined) {
    if (mode === 'enforce') throw uncheckedError(plan.operation.id, 'the answer', data, unchecked)
    issues.push(notChecked(unchecked))
  }
  if (answer.undocumented !== undefined) issues.push({ path: '', reason: answer.undocumented })
  if (mode === 'enforce' && issues.length > 0) {
    throw new ContractDriftError(
      `${plan.operation.id}: the answer is not what the contract says. ${listIssues(issues)}. ` +
        "Update the package, or call with validate: 'report' to get the data as received.",
      issues,
      data,
      { operation: plan.operation.id },
    )
  }
  for (const open of openEnums ?? []) collectUnknown(data, open, 0, [], plan.operation.secrets, issues)
  if (issues.length > 0) report(core, plan.operation.id, status, issues)
  return undefined
}

/** Follows a path through the body and notes values that the contract did not know when it was written. */
function collectUnknown(
  value: unknown,
  open: OpenEnumDescriptor,
  depth: number,
  at: readonly PropertyKey[],
  secrets: readonly string[],
  issues: Issue[],
): void {
  const key = open.path[depth]
  if (key === undefined) {
    if (typeof value !== 'string' || open.values.includes(value)) return
    const secret = at.some((part) => secrets.includes(String(part)))
    issues.push({
      path: toPointer(at),
      reason: `a value that the contract does not list${secret ? '' : `: ${JSON.stringify(value.slice(0, 80))}`}`,
    })
    return
  }
  if (typeof value !== 'object' || value === null) return
  if (key !== '*') {
    collectUnknown((value as Record<string, unknown>)[key], open, depth + 1, [...at, key], secrets, issues)
    return
  }
  for (const [name, item] of Object.entries(value)) {
    collectUnknown(item, open, depth + 1, [...at, name], secrets, issues)
  }
}

const warned = new Set<string>()

/** Tells of drift; it never disturbs the call that found it. */
export function report(core: ClientCore, operation: string, status: number, issues: readonly Issue[]): void {
  emit(core, { type: 'drift', operation, status, issues })
  if (core.onDrift !== undefined) {
    try {
      core.onDrift({ operation, status, issues })
    } catch {
      // A reporter that fails must not fail the call.
    }
    return
  }
  for (const { path, reason } of issues) {
    const place = `${operation} ${path.replaceAll(/\/\d+(?=\/|$)/g, '/*')}`
    if (warned.has(place)) continue
    warned.add(place)
    warn(
      `${operation}: the answer differs from the contract at ${path || '(the value itself)'}: ${reason}. ` +
        'The data is given as received. Pass onDrift to receive such reports.',
      'CONCORD_DRIFT',
    )
  }
}

/** Gives an event to the observer, if there is one; what it throws is its own affair. */
export function emit(
  core: Pick<ClientCore, 'observe'>,
  event: Parameters<NonNullable<ClientCore['observe']>>[0],
): void {
  if (core.observe === undefined) return
  try {
    core.observe(event)
  } catch {
    // An observer that fails must not fail the call.
  }
}
