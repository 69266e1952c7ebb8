import type { CallInput, CallTarget, ContractSubject, Drift, Outcome } from '@concord/contract'
import * as validators from '@concord/extraction-validators'
import {
  ApiError,
  ContractDriftError,
  RateLimitedError,
  type Client,
  type Exchange,
  type OperationDescriptor,
  type StandardSchema,
  type Transport,
} from '@concord/runtime'

import { nodeTransport } from '@concord/runtime/node'

import { Extraction } from '../src/index.ts'
import * as operations from '../src/gen/operations.gen.ts'

/** The generated code that is put to the test; mistakes are planted by handing in changed copies. */
export interface GeneratedCode {
  readonly operations: { readonly [id: string]: OperationDescriptor }
  /** Every export of the validators package; schemas among them. */
  readonly validators: { readonly [name: string]: unknown }
  /** Makes the generated face out of what exchanges one operation. Default: that of the client. */
  readonly face?: (exchange: Client['exchange']) => object
}

/** The generated code as it is. */
export const generated: GeneratedCode = {
  operations: operations as unknown as GeneratedCode['operations'],
  validators,
}

const errorNames: { readonly [status: number]: string } = {
  400: 'BadRequestError',
  401: 'AuthenticationError',
  403: 'PermissionDeniedError',
  404: 'NotFoundError',
  413: 'PayloadTooLargeError',
  429: 'RateLimitedError',
}

/** The class that the documentation of the client promises for an answer. */
function errorName(status: number, body: unknown): string {
  const { detail } = (typeof body === 'object' && body !== null ? body : {}) as {
    detail?: { error?: unknown }
  }
  if (status === 429 && detail?.error === 'page_count_exceeded') return 'extraction.PageLimitError'
  return errorNames[status] ?? (status >= 500 ? 'ServerError' : 'ApiError')
}

/** Hands the client of this package to the contract tests. */
export function extractionSubject(code: GeneratedCode = generated): ContractSubject {
  const accepts = (name: string) => {
    const schema = code.validators[name] as StandardSchema
    return (value: unknown) => issuesOf(schema, value).length === 0
  }
  return {
    service: 'extraction',
    call: (id, input, target) => call(code, id, input, target),
    validators: Object.fromEntries(
      Object.entries(code.validators)
        .filter(([, value]) => isSchema(value))
        .map(([name]) => [componentName(name), accepts(name)]),
    ),
    webhooks: { jobCompleted: accepts('jobCompletedEvent') },
    errorName,
  }
}

/** The transport that the client has by default, shared by the thousands of clients that the suite makes. */
const connections = nodeTransport()
const transport: Transport = { send: (request) => connections.send(request) }

async function call(code: GeneratedCode, id: string, input: CallInput, target: CallTarget): Promise<Outcome> {
  const drift: Drift[] = []
  await using client = new Extraction({
    baseUrl: target.baseUrl,
    ...(target.credentials['apiKey'] === undefined ? {} : { apiKey: target.credentials['apiKey'] }),
    retry: { maxAttempts: 1 },
    transport,
    onDrift: (report) => drift.push(...report.issues),
  })
  try {
    const answer = await send(client, code, id, input)
    return { kind: 'data', status: answer.status, data: answer.data, drift }
  } catch (error) {
    return { ...outcomeOf(code, id, error), drift: [...drift, ...driftOf(code, id, error)] }
  }
}

/** By the client's own face where the code is as it is; by the changed copy where it is not. */
function send(client: Extraction, code: GeneratedCode, id: string, input: CallInput): Promise<Exchange> {
  const { path, query, headers, body } = input
  const given = { path, query, headers, ...(body === undefined ? {} : { body }) }
  if (code === generated || code.face) {
    const face = code.face?.(client.exchange) ?? client.withResponse
    return (face as Record<string, (input: unknown) => Promise<Exchange>>)[id]?.(given) ?? missing(id)
  }
  const operation = code.operations[id]
  return operation ? client.exchange(operation, given) : missing(id)
}

const missing = (id: string): Promise<never> => Promise.reject(new Error(`the client has no operation ${id}`))

function outcomeOf(code: GeneratedCode, id: string, error: unknown): Extract<Outcome, { kind: 'error' }> {
  return {
    kind: 'error',
    errorNames: lineage(error),
    drift: [],
    message: error instanceof Error ? error.message : String(error),
    ...(ApiError.is(error) ? { status: error.status, body: error.body } : {}),
    ...(RateLimitedError.is(error) && error.meaning !== undefined ? { meaning: error.meaning } : {}),
  }
}

/** The names of an error's class and of those above it. */
function lineage(error: unknown): string[] {
  const names: string[] = []
  for (
    let current: unknown = error instanceof Error ? error.constructor : undefined;
    typeof current === 'function' && current !== Function.prototype;
    current = Object.getPrototypeOf(current)
  ) {
    names.push(
      Object.hasOwn(current, 'errorName')
        ? String((current as { errorName?: unknown }).errorName)
        : current.name,
    )
  }
  return names
}

/**
 * What is wrong with a body that came with an error. The client gives error bodies as they are; whether their types
 * are right is asked of the schema that the generated description names for the status.
 */
function driftOf(code: GeneratedCode, id: string, error: unknown): readonly Drift[] {
  if (ContractDriftError.is(error)) return error.issues
  if (!ApiError.is(error)) return []
  const responses = code.operations[id]?.responses ?? {}
  const described = responses[String(error.status)] ?? responses['default']
  if (!described) return [{ path: '', reason: `the client does not know the status ${error.status}` }]
  return described.schema ? issuesOf(described.schema(), error.body) : []
}

function issuesOf(schema: StandardSchema, value: unknown): Drift[] {
  const result = schema['~standard'].validate(value)
  if (result instanceof Promise) throw new TypeError('a generated schema must not need time')
  return (result.issues ?? []).map(({ message, path }) => ({
    path: (path ?? []).map((key) => `/${String(typeof key === 'object' ? key.key : key)}`).join(''),
    reason: message,
  }))
}

const isSchema = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && '~standard' in value

/** `jobStatus` validates the component `JobStatus`. */
const componentName = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)
