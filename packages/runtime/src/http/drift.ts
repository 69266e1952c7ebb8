import { bounded } from '../core/async.ts'
import { check, listIssues } from '../core/check.ts'
import {
  type ConcordError,
  ConnectionError,
  ContractDriftError,
  DeadlineError,
  type Issue,
} from '../core/errors.ts'
import { warn } from '../core/events.ts'
import { toPointer } from '../core/json.ts'
import type { OpenEnumDescriptor } from '../core/descriptors.ts'
import { type Call, deadlineOver } from './call.ts'
import type { ValidationMode } from './call-options.ts'
import { report } from './observe.ts'
import { responsePlan } from './prepare.ts'
import { credentialScrub } from './secrets.ts'
import type { TransportResponse } from './transport.ts'

interface DecodedResponse {
  readonly response: TransportResponse
  readonly data: unknown
  readonly mode: ValidationMode
  /** The id of the accepted work, if the response has it. */
  readonly id?: string | undefined
  /** True for each item of a stream except the first. The headers were validated with the first item. */
  readonly isItem?: boolean
  /** An issue that was found while the response was being read. */
  readonly found?: Issue | undefined
}

/** Validates a decoded response. Returns a promise unless the checks accept the response at once. */
export function checkResponse(call: Call, decoded: DecodedResponse): undefined | Promise<undefined> {
  const { plan, operation, callerSignals: signals } = call
  const { check: descriptor, headers, openBody } = responsePlan(plan, decoded.response.status).descriptor
  const isAbsent = decoded.data === undefined && openBody === true
  const inBody = descriptor === undefined || isAbsent ? undefined : check(descriptor, decoded.data, operation)
  const inHeaders =
    headers === undefined || decoded.isItem === true
      ? undefined
      : check(headers.check, headers.read(decoded.response.headers, headers.kinds), operation)
  if (inBody === undefined && inHeaders === undefined) return settle(call, decoded, [])
  const found = Promise.all([inBody, inHeaders?.then(asHeaderIssues)]).then((lists) =>
    lists.flatMap((issues) => issues ?? []),
  )
  const { clock } = call.core
  const limit = {
    clock,
    ms: call.endsAtMs - clock.monotonic(),
    error: () => deadlineOver(operation.id, call, clock, 'yes'),
  }
  return bounded(found, { signals, limit }).then(
    (issues) => settle(call, decoded, issues),
    (error: unknown) => {
      if (signals.some(({ aborted }) => aborted)) {
        call.isCallerError = true
        throw error
      }
      // The response arrived, but its schema loaded too late or not at all.
      return settle(call, decoded, [], uncheckedBy(error))
    },
  )
}

function asHeaderIssues(issues: readonly Issue[] | undefined): readonly Issue[] | undefined {
  return issues?.map(({ path, reason }) => ({ path: `headers${path}`, reason }))
}

function settle(
  call: Call,
  { response, data, mode, id, found: foundBefore }: DecodedResponse,
  found: readonly Issue[],
  unchecked?: ConcordError,
): undefined {
  const { core, plan, operation } = call
  const { descriptor, undocumented } = responsePlan(plan, response.status)
  const issues = [...found]
  if (unchecked !== undefined) {
    if (mode === 'enforce') throw uncheckedError(operation.id, 'the response', data, unchecked)
    issues.push(notChecked(unchecked))
  }
  if (foundBefore !== undefined) issues.push(foundBefore)
  if (undocumented !== undefined) issues.push({ path: '', reason: undocumented })
  if (mode === 'enforce' && issues.length > 0) throw drifted(call, issues, { response, data, id })
  for (const open of descriptor.openEnums ?? [])
    for (const place of unknownValues(data, open)) {
      if (issues.length >= MAX_UNKNOWN) break
      issues.push(unknownIssue(call, place))
    }
  if (issues.length > 0) report(core, operation.id, response.status, issues)
  return undefined
}

/** If repeating the request might not be safe, the message says that the request succeeded or was accepted. */
function drifted(
  { operation, mayExist }: Call,
  issues: readonly Issue[],
  { response, data, id }: Pick<DecodedResponse, 'response' | 'data' | 'id'>,
): ContractDriftError {
  const isDone = operation.retry.class !== 'safe'
  const done =
    id === undefined ? 'The request succeeded' : `The request was accepted under the id ${JSON.stringify(id)}`
  return new ContractDriftError(
    `${operation.id}: the response does not match the contract. ${listIssues(issues)}. ` +
      (isDone ? `${done}. The response is in the \`data\` of this error. ` : '') +
      "Update the client's package, or use `validate: 'report'` to get the data as received.",
    issues,
    data,
    {
      operation: operation.id,
      status: response.status,
      ...(id === undefined ? {} : { id }),
      ...(mayExist === 0 ? {} : { possibleDuplicates: mayExist + 1 }),
    },
  )
}

const MAX_UNKNOWN = 100

/** A value that an open enum of the contract doesn't list, and the path to the value. */
interface Unknown {
  readonly at: readonly PropertyKey[]
  readonly value: string
}

function* unknownValues(
  value: unknown,
  open: OpenEnumDescriptor,
  at: readonly PropertyKey[] = [],
): Generator<Unknown> {
  const key = open.path[at.length]
  if (key === undefined) {
    if (typeof value === 'string' && !open.values.includes(value)) yield { at, value }
  } else if (typeof value === 'object' && value !== null) {
    const members =
      key === '*' ? Object.entries(value) : [[key, (value as Record<string, unknown>)[key]] as const]
    for (const [name, member] of members) yield* unknownValues(member, open, [...at, name])
  }
}

function unknownIssue({ core, operation }: Call, { at, value }: Unknown): Issue {
  const isSecret = at.some((part) => operation.secrets.includes(String(part)))
  const shown = isSecret
    ? 'a value that'
    : `the value ${JSON.stringify(credentialScrub(core)(value).slice(0, 80))}, which`
  return { path: toPointer(at), reason: `has ${shown} the contract does not list` }
}

/** The places that already caused a warning. A place is an operation and a path in its response. */
const warned = new Set<string>()
/** The limit on warnings per process. Some objects have arbitrary property names, and each name is a new place. */
const MAX_WARNED = 200
/** The reason of an issue begins with these words if the response was not checked at all. */
const NOT_CHECKED = 'could not be checked'
/** The limit on warnings per response. */
const MAX_WARNINGS = 10

/** Emits process warnings about drift, at most one for each place. */
export function warnOfDrift(operation: string, issues: readonly Issue[]): void {
  for (const { path, reason } of issues.slice(0, MAX_WARNINGS)) {
    const place = `${operation} ${path.replaceAll(/\/\d+(?=\/|$)/g, '/*')}`
    if (warned.has(place) || warned.size >= MAX_WARNED) continue
    warned.add(place)
    const last = warned.size === MAX_WARNED ? ' No warnings follow for further differences.' : ''
    const problem = reason.startsWith(NOT_CHECKED)
      ? reason.replace(/\.$/, '')
      : `does not match the contract${path && ` at ${path}`}: ${reason}`
    warn(
      `${operation}: the response ${problem}. The data is returned as received. Pass \`onDrift\` to receive such ` +
        `reports.${last}`,
      'CONCORD_DRIFT',
    )
  }
}

/**
 * Returns the error if the check could not run: its code failed to load, or the deadline passed. Throws any other
 * error, such as one from the caller's own schema.
 */
export function uncheckedBy(error: unknown): ConcordError {
  if (ConnectionError.is(error) || DeadlineError.is(error)) return error
  throw error
}

export function uncheckedError(
  id: string,
  subject: string,
  data: unknown,
  cause: ConcordError,
): ContractDriftError {
  return new ContractDriftError(
    `${id}: ${subject} could not be checked, so it is available only in the \`data\` of this error. ${cause.message}`,
    [notChecked(cause)],
    data,
    { operation: id, cause },
  )
}

export function notChecked(cause: ConcordError): Issue {
  return { path: '', reason: `${NOT_CHECKED}. ${cause.message}` }
}
