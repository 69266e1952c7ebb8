import type { CallInput, CallTarget, ContractSubject, Drift, Outcome } from '@concord/contract'
import {
  accepting as operationAccepting,
  ContractDriftError,
  type Client,
  type Exchange,
  type OperationDescriptor,
  type StandardSchema,
  type Transport,
} from '@concord/runtime'
import type { NegotiatedOperation } from '@concord/runtime/internal'
import { nodeTransport } from '@concord/runtime/node'

import {
  accepts,
  contentOf,
  errorNameOf,
  isSchema,
  outcomeOf,
  type Schema,
} from '../../../packages/contract/src/suite/client-class.ts'
import type { GeneratedCode } from './generated-code.ts'

/** The part of a package's client that the contract tests use. */
export interface TestedClient extends AsyncDisposable {
  readonly withResponse: object
  readonly exchange: Client['exchange']
}

/** The options of every client in the contract tests. */
export interface SharedOptions {
  readonly retry: { readonly maxAttempts: 1 }
  readonly transport: Transport
  readonly onDrift: (report: { readonly issues: readonly Drift[] }) => void
}

/** The client of a package and its generated code. */
export interface TestedPackage {
  readonly service: string
  /** The unchanged generated code. */
  readonly generated: GeneratedCode
  /** Creates a client for one call. */
  connect(target: CallTarget, options: SharedOptions): TestedClient | Promise<TestedClient>
  /** Returns the name of the documented error class for a response, if the status alone doesn't determine it. */
  errorName?(status: number, body: unknown): string | undefined
  /** For each webhook, the export name of the schema that validates its body. */
  readonly webhooks?: { readonly [webhook: string]: string }
}

/** The clients' default transport, shared by the thousands of clients that a suite creates. */
const connections = nodeTransport()
const transport: Transport = { send: (request) => connections.send(request) }

/** Returns the client of a package in the form that the contract tests need. */
export function clientSubject(
  tested: TestedPackage,
  code: GeneratedCode = tested.generated,
): ContractSubject {
  const verdict = (name: string) => (value: unknown) => accepts(code.validators[name] as Schema, value)
  return {
    service: tested.service,
    call: (id, input, target) => call({ tested, code, id }, input, target),
    validators: Object.fromEntries(
      Object.entries(code.validators)
        .filter(([, value]) => isSchema(value))
        .map(([name]) => [componentName(name), verdict(name)]),
    ),
    checks: Object.fromEntries(
      Object.entries(code.checks).flatMap(([name, check]) =>
        typeof check === 'function' && name.startsWith(accepting)
          ? [[name.slice(accepting.length), check as (value: unknown) => boolean]]
          : [],
      ),
    ),
    webhooks: Object.fromEntries(
      Object.entries(tested.webhooks ?? {}).map(([webhook, name]) => [webhook, verdict(name)]),
    ),
    errorName: (status, body) => tested.errorName?.(status, body) ?? errorNameOf(status),
  }
}

/** An operation of a package, unchanged or with a planted mistake. */
interface TestedOperation {
  readonly tested: TestedPackage
  readonly code: GeneratedCode
  readonly id: string
}

async function call(operation: TestedOperation, input: CallInput, target: CallTarget): Promise<Outcome> {
  const { tested, code, id } = operation
  const drift: Drift[] = []
  await using client = await tested.connect(target, {
    retry: { maxAttempts: 1 },
    transport,
    onDrift: (report) => drift.push(...report.issues),
  })
  try {
    const { status, data } = await send(operation, client, input)
    return { kind: 'data', status, data: await contentOf(data), drift }
  } catch (error) {
    const outcome = outcomeOf(error, drift)
    const issues = ContractDriftError.is(error) ? error.issues : await driftOf(code.operations[id], outcome)
    return { ...outcome, drift: [...drift, ...issues] }
  }
}

/**
 * Returns the drift in the body of an error response. The client throws an API error even if the body doesn't match
 * the contract, so this function checks the body with the schema of the generated descriptor.
 */
async function driftOf(
  operation: OperationDescriptor | undefined,
  { status, body }: { readonly status?: number; readonly body?: unknown },
): Promise<readonly Drift[]> {
  if (status === undefined) return []
  const responses = operation?.responses ?? {}
  const described = responses[String(status)] ?? responses['default']
  if (!described) return [{ path: '', reason: `the client doesn't know the status ${status}` }]
  return described.check ? issuesOf(await described.check.schema(), body) : []
}

function issuesOf(schema: StandardSchema, value: unknown): Drift[] {
  const result = schema['~standard'].validate(value)
  if (result instanceof Promise) throw new TypeError('a generated schema must not be asynchronous')
  return (result.issues ?? []).map(({ message, path }) => ({
    path: (path ?? []).map((key) => `/${String(typeof key === 'object' ? key.key : key)}`).join(''),
    reason: message,
  }))
}

/**
 * Sends an operation by calling a method of the client. If `code` is a changed copy of the generated code, calls a
 * method of the copy's API object instead. A copy without `createApi` has no API object, so the client sends the
 * copy's descriptor directly.
 */
function send(
  { tested, code, id }: TestedOperation,
  client: TestedClient,
  { path, query, headers, cookies, body, contentType, accept }: CallInput,
): Promise<Exchange> {
  const operation = code.operations[id]
  const hasChoice = operation?.body?.others !== undefined && body !== undefined
  const given = {
    path,
    query,
    headers,
    ...(cookies && { cookies }),
    ...(hasChoice && { contentType }),
    ...(body === undefined ? {} : { body }),
  }
  const isNegotiated = Object.values(operation?.responses ?? {}).some(({ others }) => others !== undefined)
  const options = isNegotiated && accept !== undefined ? { accept } : undefined
  if (code === tested.generated || code.createApi) {
    const api = code.createApi?.(client.exchange) ?? client.withResponse
    return (api as Record<string, Method>)[id]?.(given, options) ?? missing(id)
  }
  if (!operation) return missing(id)
  const wanted = options
    ? operationAccepting(operation as NegotiatedOperation, options.accept as never)
    : operation
  return client.exchange(wanted, given)
}

type Method = (input: unknown, options: object | undefined) => Promise<Exchange>

const missing = (id: string): Promise<never> => Promise.reject(new Error(`the client has no operation ${id}`))

/** The prefix of quick checks: `acceptsJobStatus` checks the component `JobStatus`. */
const accepting = 'accepts'

/** Returns the component that a schema validates: `JobStatus` for `jobStatus`. */
const componentName = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)
