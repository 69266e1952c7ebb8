import { OptionsError } from '../core/errors.ts'
import type {
  OperationDescriptor,
  ParameterDescriptor,
  ResponseDescriptor,
  SecurityRequirement,
} from '../core/descriptors.ts'
import { type Credential, withCredentials } from './credential.ts'
import type { ClientCore } from './client-state.ts'
import { parsePathTemplate, type PathTemplate } from './path.ts'
import { COMPRESSED, PLAIN } from './decode.ts'
import { setHeader } from './headers.ts'

/** An operation descriptor, prepared for one client: everything that is the same for every call of the operation. */
export interface Plan {
  readonly core: ClientCore
  readonly operation: OperationDescriptor
  readonly origin: string
  readonly template: PathTemplate
  readonly queryParameters: readonly ParameterDescriptor[]
  /** Whether a documented response is a stream of items. */
  readonly hasItems: boolean
  /** The request headers, as alternating names and values. All calls that add no headers share this array. */
  readonly headers: readonly string[]
  /** The credentials to send with each call. */
  readonly credentials: readonly Credential[]
  /** The values of the credentials, if all are strings and sent in headers. `headers` then contains these values. */
  readonly known: readonly string[] | undefined
  /** The keys are statuses. Filled on demand. */
  readonly responsePlans: Map<number, ResponsePlan>
}

export interface ResponsePlan {
  readonly descriptor: ResponseDescriptor
  /**
   * The drift to report if the status is a success status that isn't in the contract. `undefined` for all other
   * statuses, and if a success response in the contract has `openStatus`.
   */
  readonly undocumented: string | undefined
}

/** Creates the plan on first use. @throws OptionsError */
export function planOf(core: ClientCore, operation: OperationDescriptor): Plan {
  let plan = core.plans.get(operation) as Plan | undefined
  if (plan === undefined) {
    plan = prepare(core, operation)
    core.plans.set(operation, plan)
  }
  return plan
}

/** @throws OptionsError if the client lacks the server or a credential for the operation. */
function prepare(core: ClientCore, operation: OperationDescriptor): Plan {
  const server = core.servers.get(operation.server)
  if (server === undefined) {
    throw new OptionsError(
      `servers.${operation.server}`,
      `is missing, but \`${operation.id}\` is sent to this server.`,
      'Pass the base URL of the server.',
    )
  }
  const headers: string[] = ['accept', acceptHeader(operation), 'accept-encoding', acceptedCodings(operation)]
  for (const { name, value } of operation.parameters) if (value !== undefined) setHeader(headers, name, value)
  for (const [name, value] of core.headers) setHeader(headers, name, value)
  const credentials = pickCredentials(core, operation)
  const known = credentials.flatMap(({ in: place, value }) =>
    place === 'header' && typeof value === 'string' ? value : [],
  )
  const isKnown = known.length === credentials.length
  return {
    core,
    operation,
    origin: server.origin,
    template: parsePathTemplate(server.prefix, operation.path, operation.parameters),
    queryParameters: operation.parameters.filter((parameter) => parameter.in === 'query'),
    hasItems: Object.values(operation.responses).some(({ kind }) => kind === 'items'),
    headers: isKnown ? withCredentials({ path: '', headers }, credentials, known).headers : headers,
    credentials,
    known: isKnown ? known : undefined,
    responsePlans: new Map(),
  }
}

/**
 * Returns the credentials for the first security requirement that the client can meet. Returns an empty array if no
 * credentials are needed, or if credentials are optional and the client lacks them.
 *
 * @throws OptionsError if credentials are required and the client lacks them.
 */
export function pickCredentials(
  core: ClientCore,
  { id, security, securityOptional }: Pick<OperationDescriptor, 'id' | 'security' | 'securityOptional'>,
): readonly Credential[] {
  for (const requirement of security) {
    const schemes = schemesOf(requirement)
    const found = schemes.flatMap((scheme) => core.credentials.get(scheme) ?? [])
    if (found.length === schemes.length) return found
  }
  const [first] = security
  if (first === undefined || securityOptional === true) return []
  const optionOf = (scheme: string) => core.credentialOptions.get(scheme) ?? `credentials.${scheme}`
  const ways = security.map((requirement) =>
    schemesOf(requirement)
      .map((scheme) => `\`${optionOf(scheme)}\``)
      .join(' and '),
  )
  const missing = schemesOf(first).find((scheme) => !core.credentials.has(scheme)) ?? ''
  throw new OptionsError(
    optionOf(missing),
    `\`${id}\` needs a credential: ${ways.join(', or ')}.`,
    'Pass the credential to the client.',
  )
}

function schemesOf(requirement: SecurityRequirement): readonly string[] {
  return typeof requirement === 'string' ? [requirement] : requirement
}

function acceptHeader(operation: OperationDescriptor): string {
  const types = new Set<string>()
  for (const [status, response] of Object.entries(operation.responses)) {
    if (!isSuccessKey(status)) continue
    if (response.contentType !== undefined) types.add(response.contentType)
    else if (response.kind !== 'json' && response.kind !== 'empty') types.add('*/*')
  }
  // A service may describe its errors in JSON, even if its successful responses have another media type.
  types.add('application/json')
  return [...types].join(', ')
}

function acceptedCodings({ responses }: OperationDescriptor): string {
  // Compression isn't requested for streams and files. A server that compresses a stream can hold back items until a
  // buffer is full, and files are usually already compressed.
  const isPlain = Object.entries(responses).some(
    ([status, { kind }]) => isSuccessKey(status) && (kind === 'binary' || kind === 'items'),
  )
  return isPlain ? PLAIN : COMPRESSED
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

/** @param key A key of an operation's `responses`, such as `200` or `2XX`. */
function isSuccessKey(key: string): boolean {
  return /^2(?:\d\d|XX)$/.test(key)
}

export function responsePlan(plan: Plan, status: number): ResponsePlan {
  let found = plan.responsePlans.get(status)
  if (found === undefined) {
    found = findResponsePlan(plan.operation, status)
    plan.responsePlans.set(status, found)
  }
  return found
}

const UNKNOWN_SUCCESS: ResponseDescriptor = { kind: 'empty' }
const UNKNOWN_ERROR: ResponseDescriptor = { kind: 'json' }

function findResponsePlan({ responses }: OperationDescriptor, status: number): ResponsePlan {
  const exact = responses[status] ?? responses[`${Math.floor(status / 100)}XX`]
  if (exact !== undefined) return { descriptor: exact, undocumented: undefined }
  if (!isSuccess(status))
    return { descriptor: responses['default'] ?? UNKNOWN_ERROR, undocumented: undefined }
  const successes = Object.entries(responses).filter(([key]) => isSuccessKey(key))
  const open = successes.find(([, { openStatus }]) => openStatus === true)
  if (open !== undefined) return { descriptor: open[1], undocumented: undefined }
  const descriptor = successes[0]?.[1] ?? responses['default'] ?? UNKNOWN_SUCCESS
  const known = successes.map(([key]) => key).join(', ')
  return {
    descriptor,
    undocumented: `status ${status}, but the contract has ${known || 'no success status'}`,
  }
}
