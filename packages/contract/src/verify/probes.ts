import { isObject, type Operation, type Parameter, type SchemaOracle, type Spec } from '@concord/spec-model'
import { type Credentials, schemesFor } from '../oracle/security.ts'
import { generateValid } from '../oracle/generate.ts'
import { seededRandom } from '../oracle/random.ts'
import { firstOf, memberOf, requestCases, type RequestCase } from '../suite/inputs.ts'

/** A request to a live service, or the reason why it isn't sent. */
export type Probe = { readonly title: string; readonly notRun: string } | SentProbe

/** A request to send, and the response that the contract requires. */
export interface SentProbe {
  readonly title: string
  readonly request: RequestCase
  /** The security schemes to use; empty for a request without a credential. */
  readonly schemes: readonly string[]
  readonly credentials: Credentials
  readonly expect: Expected
  /** The names of required parameters whose values were generated, since the contract has no example. */
  readonly invented?: readonly string[]
}

/**
 * `documented` is any documented response below 500. This is enough for calls that may change something: whether they
 * succeed can depend on the service's data. `error` is any documented 4xx.
 */
export type Expected = 'success' | 'documented' | 'error' | number

/** Options of `verify`, documented in `VerifyOptions`. */
interface ProbeSettings {
  readonly credentials: Credentials
  readonly params: Readonly<Record<string, string>>
  readonly allow: readonly string[]
  readonly files: Readonly<Record<string, File>>
}

function isSafe(operation: Operation): boolean {
  return isReading(operation) && (operation.retry ?? 'safe') === 'safe'
}

const isReading = ({ method }: Operation): boolean =>
  method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

export function probesFor(
  spec: Spec,
  oracle: SchemaOracle,
  operation: Operation,
  settings: ProbeSettings,
): readonly Probe[] {
  if (!isSafe(operation) && !settings.allow.includes(operation.id)) {
    const notRun = `${operation.method} may submit or change something; add --allow '${operation.id}' to call it once`
    return [{ title: 'as documented', notRun }]
  }
  const made = firstOf(requestCases(operation, oracle))
  if (made?.problem !== undefined && operation.body) return [{ title: 'as documented', notRun: made.problem }]
  if (!made) return [{ title: 'as documented', notRun: 'no input could be generated from the contract' }]
  const request = withParams(operation, made, settings.params)
  const { schemes, isPublic } = schemesFor(operation, settings.credentials)
  const unknown = unknownInput(operation, oracle, request)
  return [
    successProbe(operation, request, schemes, settings),
    ...(isPublic ? [] : credentialProbes(spec, operation, unknown ?? request)),
    ...(unknown ? [unknownProbe(operation, unknown, schemes, settings)] : []),
  ]
}

function successProbe(
  operation: Operation,
  made: RequestCase,
  schemes: readonly string[] | undefined,
  { credentials, params, files }: ProbeSettings,
): Probe {
  const title = 'as documented'
  const missing = operation.parameters.filter(
    (one) => one.in === 'path' && one.constant === undefined && paramOf(operation, one, params) === undefined,
  )
  if (missing.length > 0) {
    const names = missing.map((one) => `--param ${one.name}=...`).join(' ')
    return { title, notRun: `needs ${names}` }
  }
  if (!schemes) return { title, notRun: needsCredential(operation) }
  const request = withFiles(made, files)
  if ('needs' in request) return { title, notRun: `needs --file ${request.needs}=PATH` }
  const invented = inventedNames(operation, params)
  return {
    title,
    request,
    schemes,
    credentials,
    expect: isSafe(operation) ? 'success' : 'documented',
    ...(invented.length > 0 ? { invented } : {}),
  }
}

/** Returns the request with its files, or the name of a part whose file is missing. */
function withFiles(
  request: RequestCase,
  files: Readonly<Record<string, File>>,
): RequestCase | { readonly needs: string } {
  const { body } = request.input
  // A `Uint8Array` is an object too, but has no parts.
  if (!isObject(body) || body instanceof Uint8Array) return request
  const needs = Object.keys(body).find((name) => body[name] instanceof File && files[name] === undefined)
  if (needs !== undefined) return { needs }
  const given = Object.entries(body).map(([name, part]) => [name, part instanceof File ? files[name] : part])
  return { ...request, input: { ...request.input, body: Object.fromEntries(given) } }
}

function credentialProbes(spec: Spec, operation: Operation, request: RequestCase): Probe[] {
  // If the service doesn't check credentials, it would execute the operation.
  if (!isSafe(operation))
    return [
      { title: 'without a credential', notRun: 'an operation that may change something is called only once' },
    ]
  if (!operation.responses.some((one) => one.status === '401')) {
    return [{ title: 'without a credential', notRun: 'the contract documents no 401 for this operation' }]
  }
  const schemes = operation.security.find((alternative) => alternative.length > 0) ?? []
  const wrong = Object.fromEntries(
    Object.keys(spec.securitySchemes).map((name) => [name, 'not-a-valid-credential']),
  )
  return [
    { title: 'without a credential', request, schemes: [], credentials: {}, expect: 401 },
    { title: 'with a wrong credential', request, schemes, credentials: wrong, expect: 401 },
  ]
}

function unknownProbe(
  operation: Operation,
  request: RequestCase,
  schemes: readonly string[] | undefined,
  { credentials }: ProbeSettings,
): Probe {
  const title = 'with an unknown id'
  if (!schemes) return { title, notRun: needsCredential(operation) }
  const expect = operation.responses.some((one) => one.status === '404') ? 404 : 'error'
  if (expect === 'error' && !operation.responses.some((one) => one.status === 'default')) {
    return { title, notRun: 'the contract documents neither 404 nor `default` for this operation' }
  }
  return { title, request, schemes, credentials, expect }
}

/** Replaces the path parameters, so that the request asks for something that doesn't exist. */
function unknownInput(
  operation: Operation,
  oracle: SchemaOracle,
  request: RequestCase,
): RequestCase | undefined {
  const inPath = operation.parameters.filter((one) => one.in === 'path')
  if (inPath.length === 0 || !isReading(operation)) return undefined
  const path = Object.fromEntries(inPath.map((one) => [one.name, unknownValue(one, oracle)]))
  if (Object.values(path).some((value) => value === undefined)) return undefined
  return { ...request, input: { ...request.input, path } }
}

function unknownValue(parameter: Parameter, oracle: SchemaOracle): unknown {
  const candidates = ['00000000-0000-4000-8000-000000000000', 'does-not-exist', 999_999_999]
  const made = candidates.find((value) => oracle.accepts(parameter.schema, value))
  return made ?? generateValid(oracle, parameter.schema, seededRandom('unknown'), 'full')?.value
}

/**
 * Returns the request with the values in `params`. Includes headers that have only one possible value, because
 * clients send these automatically. Leaves out generated values of optional parameters, since a live service may
 * rightly reject them.
 */
function withParams(
  operation: Operation,
  request: RequestCase,
  params: Readonly<Record<string, string>>,
): RequestCase {
  const values: Record<'path' | 'query' | 'headers' | 'cookies', Record<string, unknown>> = {
    path: {},
    query: {},
    headers: {},
    cookies: {},
  }
  for (const parameter of operation.parameters) {
    const { name, required, examples, constant } = parameter
    const member = memberOf(parameter.in)
    const made = required || examples.length > 0 ? request.input[member]?.[name] : undefined
    const fixed = member === 'headers' ? constant : undefined
    const value = paramOf(operation, parameter, params) ?? made ?? fixed
    if (value !== undefined) values[member][name] = value
  }
  return { ...request, input: { ...request.input, ...values } }
}

function paramOf(
  { id }: Operation,
  { name }: Parameter,
  params: Readonly<Record<string, string>>,
): string | undefined {
  return params[`${id}.${name}`] ?? params[name]
}

function inventedNames(operation: Operation, params: Readonly<Record<string, string>>): readonly string[] {
  return operation.parameters
    .filter(
      (one) =>
        one.required &&
        one.constant === undefined &&
        one.examples.length === 0 &&
        paramOf(operation, one, params) === undefined,
    )
    .map((one) => one.name)
}

export function needsCredential({ security }: Pick<Operation, 'security'>): string {
  const alternatives = security.map((alternative) => alternative.join(' and ')).join(', or ')
  return `needs a credential (${alternatives}); set --api-key-env to the name of the environment variable that holds it`
}
