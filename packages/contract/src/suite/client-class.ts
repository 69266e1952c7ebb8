import { type Operation, schemaOracle, type Spec, reasonOf } from '@concord/spec-model'

import { streamFormat } from '../http/item-streams.ts'
import { hasFile } from './inputs.ts'
import { generatedMembers, hasTwoForms, streamOf } from './member-names.ts'
import type { CallInput, CallTarget, ContractSubject, Drift, Outcome } from './subject.ts'

/** A client that `@concord/generate` generated. Lists only the members that the contract tests use. @public */
export interface GeneratedClient {
  /** An object with a method for each operation. Each method returns the status and the data of the response. */
  readonly withResponse: object
  close(): Promise<void>
}

/** The options that the contract tests pass to {@link ClientClassTests.client}. @public */
export interface ClientTestOptions {
  /** The URL that replaces all servers: the base URL of the called operation, or of the opened channel. */
  readonly allServers: string
  /**
   * The secret for each security scheme, by the scheme's name in camelCase. For HTTP Basic authentication, the secret
   * is `{ username, password }`.
   */
  readonly [credential: string]: unknown
}

/** The class to test, and settings that are rarely needed. @public */
export interface ClientClassTests {
  /** The generated class. */
  // oxlint-disable-next-line typescript/no-explicit-any -- Each class has its own options.
  readonly client: new (options: any) => GeneratedClient
  /**
   * Every export of the generated `schemas.gen.ts`, to compare the schema of each component with the contract.
   * Default: none; the tests then only call the client's methods.
   */
  readonly schemas?: { readonly [name: string]: unknown }
  /**
   * Every export of the generated `channels.gen.ts`: the messages' names and checks, which the class doesn't expose.
   * Required with `sockets`.
   */
  readonly channels?: { readonly [name: string]: unknown }
  /**
   * Returns the client's options for one call or connection, for instance with the URLs of several servers. Default:
   * returns `usual`.
   *
   * @example
   * ```ts
   * options: ({ servers }, { allServers, ...rest }) => ({
   *   ...rest,
   *   baseUrl: servers['https://shop.example'],
   *   filesExampleUrl: servers['https://files.example'],
   * })
   * ```
   */
  options?(target: CallTarget, usual: ClientTestOptions): object
  /**
   * Returns the name of the expected error class, for clients with their own error classes. Default: the name of the
   * error class in `@concord/runtime` for the status.
   */
  errorName?(status: number, body: unknown): string | undefined
}

const ERROR_NAMES: { readonly [status: number]: string } = {
  400: 'BadRequestError',
  401: 'AuthenticationError',
  403: 'PermissionDeniedError',
  404: 'NotFoundError',
  413: 'PayloadTooLargeError',
  429: 'RateLimitedError',
}

/** Adapts a generated client class for the contract tests. */
export function classSubject(spec: Spec, tests: ClientClassTests): ContractSubject {
  const subject = { spec, tests, generated: generatedMembers(spec) }
  return {
    service: tests.client.name,
    call: (operation, input, target) => callOfClass(subject, operation, input, target),
    ...(tests.schemas && {
      validators: validatorsOf(subject, tests.schemas),
      webhooks: webhooksOf(subject, tests.schemas),
    }),
    errorName: (status, body) => tests.errorName?.(status, body) ?? errorNameOf(status),
  }
}

/** Returns the name of the error class in `@concord/runtime` for a status. */
export function errorNameOf(status: number): string {
  return ERROR_NAMES[status] ?? (status >= 500 ? 'ServerError' : 'ApiError')
}

type Method = (
  input: unknown,
  options: object,
) => Promise<{ readonly status: number; readonly data: unknown }>

interface TestedClass {
  readonly spec: Spec
  readonly tests: ClientClassTests
  readonly generated: ReturnType<typeof generatedMembers>
}

async function callOfClass(
  { spec, tests, generated }: TestedClass,
  operation: string,
  input: CallInput,
  target: CallTarget,
): Promise<Outcome> {
  const drift: Drift[] = []
  const usual = usualOptions(spec, spec.operations, target)
  const client = new tests.client({
    ...(tests.options?.(target, usual) ?? usual),
    retry: { maxAttempts: 1 },
    onDrift: (report: { readonly issues: readonly Drift[] }) => drift.push(...report.issues),
  })
  try {
    const { accept, contentType, ...parts } = input
    const described = spec.operations.find(({ id }) => id === operation)
    const isStream = accept !== undefined && streamFormat(accept) !== undefined
    const name = described && isStream && hasTwoForms(described) ? streamOf(operation) : operation
    const method = generated.method(client.withResponse, name) as Method
    const hasChoice = (described?.body?.media.length ?? 0) > 1 && parts.body !== undefined
    // An operation can have two methods: one for streams, and one for other media types. A method has the option
    // `accept` only if the method can return several media types.
    const isChoice = described?.responses.some(({ status, media }) => {
      const types = media.filter(({ type }) => (streamFormat(type) !== undefined) === isStream)
      return status.startsWith('2') && types.length > 1 && types.some(({ type }) => type === accept)
    })
    const { status, data } = await method(
      { ...parts, ...(hasChoice && { contentType }) },
      isChoice ? { accept } : {},
    )
    return { kind: 'data', status, data: await contentOf(data), drift }
  } catch (error) {
    return outcomeOf(error, drift)
  } finally {
    await client.close()
  }
}

export async function contentOf(data: unknown): Promise<unknown> {
  if (data instanceof Blob) return new Uint8Array(await data.arrayBuffer())
  if (typeof data !== 'object' || data === null || !(Symbol.asyncIterator in data)) return data
  const items: unknown[] = []
  for await (const item of data as AsyncIterable<unknown>) items.push(item)
  return items
}

/** Returns the options of a client under test. `uses` lists the operations or channels of the document. */
export function usualOptions(
  { securitySchemes }: Pick<Spec, 'securitySchemes'>,
  uses: readonly Pick<Operation, 'security'>[],
  target: CallTarget,
): ClientTestOptions {
  // The class has no options for schemes that the document defines but doesn't use.
  const needed = new Set(uses.flatMap(({ security }) => security.flat()))
  return {
    // This option replaces the servers of all operations, so no request reaches the real service.
    allServers: target.baseUrl,
    ...Object.fromEntries(
      Object.entries(target.credentials).flatMap(([name, secret]) => {
        const scheme = securitySchemes[name]
        if (!needed.has(name) || scheme?.type === 'other') return []
        const isBasic = scheme?.type === 'http' && /^basic$/i.test(scheme.scheme)
        const [username = '', ...password] = secret.split(':')
        return [[camelCase(name), isBasic ? { username, password: password.join(':') } : secret]]
      }),
    ),
  }
}

/** Returns the name of the generated class's option for a security scheme: `apiKey` for `API-Key` or `api_key`. */
function camelCase(name: string): string {
  const [first = '', ...others] = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  const joined = [first, ...others.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join('')
  return joined.replace(/^\p{Lu}+(?=\p{Lu}\p{Ll}|$)|^\p{Lu}/u, (start) => start.toLowerCase())
}

/** The part of a generated schema (a Standard Schema) that is used here. */
export interface Schema {
  readonly '~standard': {
    validate(value: unknown): { readonly issues?: readonly unknown[] } | Promise<unknown>
  }
}

function validatorsOf(
  { spec, generated }: TestedClass,
  schemas: { readonly [name: string]: unknown },
): Validators {
  const oracle = schemaOracle(spec)
  return Object.fromEntries(
    spec.schemas.flatMap((component) => {
      // The contract describes files as strings, but generated schemas describe the file objects that clients accept,
      // so the two can't be compared.
      if (hasFile(oracle, oracle.component(component).schema)) return []
      const schema = generated.schema(schemas, component)
      return isSchema(schema) ? [[component, (value: unknown) => accepts(schema, value)]] : []
    }),
  )
}

/** Returns the validators of webhooks. The schema of a webhook's body is a component, or is in the webhook itself. */
function webhooksOf(
  { spec, generated }: TestedClass,
  schemas: { readonly [name: string]: unknown },
): Validators {
  return Object.fromEntries(
    spec.webhooks.flatMap(({ name, media }) => {
      const [component] = media.flatMap((one) => one.schema?.component ?? [])
      const schema = generated.schema(schemas, component ?? `${name}Payload`)
      return isSchema(schema) ? [[name, (value: unknown) => accepts(schema, value)]] : []
    }),
  )
}

type Validators = NonNullable<ContractSubject['validators']>

export const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && '~standard' in value

export function accepts(schema: Schema, value: unknown): boolean {
  const result = schema['~standard'].validate(value)
  return !(result instanceof Promise) && (result.issues ?? []).length === 0
}

export function outcomeOf(error: unknown, drift: readonly Drift[]): Extract<Outcome, { kind: 'error' }> {
  // After a server error, it can be uncertain whether the request took effect. The client then throws a
  // SubmissionUncertainError, and the API error is its `cause`.
  const chain = error instanceof Error ? [error, error.cause].filter((one) => one instanceof Error) : []
  const response = chain.find((one): one is ErrorResponse => 'status' in one && 'body' in one)
  const { status, body, meaning } = response ?? {}
  return {
    kind: 'error',
    errorNames: [...new Set(chain.flatMap(lineage))],
    message: reasonOf(error),
    // The runtime doesn't check the bodies of errors. An empty `drift` would say that it had checked this body.
    ...(drift.length > 0 && { drift }),
    ...(status !== undefined && { status, body }),
    ...(meaning !== undefined && { meaning }),
  }
}

interface ErrorResponse extends Error {
  readonly status: number
  readonly body: unknown
  readonly meaning?: string
}

/**
 * Returns the names of an error's class and its superclasses, most specific first. Prefers the static `errorName` to
 * the name of the class, because minifiers rename classes.
 */
export function lineage(error: unknown): string[] {
  const names: string[] = []
  for (
    let type: unknown = error instanceof Error ? error.constructor : undefined;
    typeof type === 'function' && type !== Function.prototype;
    type = Object.getPrototypeOf(type)
  )
    names.push(
      Object.hasOwn(type, 'errorName') ? String((type as { errorName?: unknown }).errorName) : type.name,
    )
  return names
}
