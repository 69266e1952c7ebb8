import type { Contract } from '../read/contract.ts'
import { type JsonObject, asList, asObject, isList, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { notShown, text } from './docs.ts'
import { inputSchema } from './input.ts'
import type { BodiesModel, BodyModel, OperationModel, ResponseModel } from './model.ts'
import { noteSamePaths, noteUnknown } from './members.ts'
import { freeName, isReserved, operationNamePattern, pascalCase, toOperationName } from './names.ts'
import { readPagination } from './pagination.ts'
import { type RawOperation, readParameters } from './parameters.ts'
import { readRequestBody } from './request-body.ts'
import { isAlsoStream, readResponses } from './responses.ts'
import type { PlainSchema } from './rules.ts'
import { readSecurity } from './security.ts'
import { ServerNames } from './servers.ts'
import { unionOf } from './union.ts'
import { readCallbacks } from './webhooks.ts'
import { didYouMean } from '../words/closest.ts'

const methods = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'query'] as const
const besideMethods = new Set(['parameters', 'summary', 'description', 'servers', 'additionalOperations'])
/** Matches a valid HTTP method. RFC 9110, section 9.1. */
const methodPattern = /^[\w!#$%&'*+.^`|~-]+$/
/** Methods that `fetch` can't send. Fetch Standard, section 2.2.1. */
const FORBIDDEN_METHODS: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK'])

/**
 * Reads all operations under `paths`, and defines the types of their inputs, outputs and errors.
 *
 * @param reserved - Names that operations can't have.
 */
export function readOperations(contract: Contract, reserved: readonly string[] = []): OperationModel[] {
  const operations = new Map<string, OperationModel>()
  const ids = new Set(operationIds(contract))
  const servers = new ServerNames(contract.root)
  const paths = asObject(contract.root['paths'])
  noteSamePaths(contract, paths)
  for (const [key, item] of Object.entries(paths)) {
    const at = childPointer('#/paths', key)
    if (!isObject(item)) {
      if (!key.startsWith('x-')) contract.widen(at, 'this is not a path item, so it has no operations')
      continue
    }
    const path = key.startsWith('/') ? key : `/${key}`
    if (path !== key) contract.note(at, 'a path must begin with a slash; the client adds it')
    for (const key of Object.keys(item)) {
      if ((methods as readonly string[]).includes(key) || besideMethods.has(key) || key.startsWith('x-'))
        continue
      contract.widen(childPointer(at, key), `\`${key}\` of a path is ignored`)
    }
    for (const { method, raw, pointer } of methodsOf(contract, item, at)) {
      const wanted = wantedName({ raw, method, path })
      // An operation whose operationId is a valid name keeps it; derived names make room.
      const isTaken = (name: string) =>
        operations.has(name) || reserved.includes(name) || (name !== raw['operationId'] && ids.has(name))
      const id = freeName(wanted, isTaken)
      noteName(contract, { raw, id, before: operations.get(wanted) }, pointer)
      const named = { id, path, item, method, raw, pointer, servers }
      const operation = readOperation(contract, named)
      operations.set(id, operation)
      if (!isAlsoStream(contract, named)) continue
      const twin = freeName(`${id}Stream`, isTaken)
      operations.set(twin, readTwin(contract, { ...named, id: twin }, operation))
    }
  }
  return [...operations.values()]
}

/** The operations of a path by method, including those under `additionalOperations` (OpenAPI 3.2). */
function methodsOf(
  contract: Contract,
  item: JsonObject,
  at: string,
): readonly Pick<NamedOperation, 'method' | 'raw' | 'pointer'>[] {
  const others = item['additionalOperations'] ?? {}
  const place = childPointer(at, 'additionalOperations')
  if (!isObject(others))
    contract.widen(place, '`additionalOperations` must be an object that maps HTTP methods to operations')
  const named = Object.entries(asObject(others)).filter(([method]) => {
    const pointer = childPointer(place, method)
    const usual = method.toLowerCase()
    const isUsual = method === method.toUpperCase() && (methods as readonly string[]).includes(usual)
    if (isUsual) contract.widen(pointer, `the operation is ignored here; move it to \`${usual}\` of the path`)
    else if (FORBIDDEN_METHODS.has(method.toUpperCase()))
      contract.widen(pointer, `HTTP clients can't send \`${method}\` requests`)
    else if (!methodPattern.test(method)) contract.widen(pointer, "this isn't a valid HTTP method")
    else return true
    return false
  })
  const all = [
    ...methods.map((method) => ({
      method: method.toUpperCase(),
      raw: item[method],
      pointer: childPointer(at, method),
    })),
    ...named.map(([method, raw]) => ({ method, raw, pointer: childPointer(place, method) })),
  ]
  return all.flatMap(({ method, raw, pointer }) => {
    if (raw !== undefined && !isObject(raw)) contract.widen(pointer, 'this is not an operation')
    return isObject(raw) ? [{ method, raw, pointer }] : []
  })
}

interface NamedOperation extends RawOperation {
  readonly servers: ServerNames
  readonly id: string
  readonly method: string
}

function readOperation(contract: Contract, operation: NamedOperation): OperationModel {
  const { id, path, item, method, raw, pointer } = operation
  const typeName = pascalCase(id)
  noteUnknown(contract, 'operation', raw, pointer)
  const security = readSecurity(contract, raw, pointer)
  const parameters = readParameters(contract.requests, operation)
  const bodies = readRequestBody(contract.requests, raw, pointer)
  const input = inputSchema(parameters, bodies)
  const responses = readResponses(contract, operation, { typeName })
  const define = (suffix: string, schema: object, description: string) =>
    contract.define(`${typeName}${suffix}`, { ...schema, description }, pointer)
  const inputType = define('Input', input.schema, `The input of \`${id}\`.`)
  const outputType = defineOutput(contract, operation, responses.models)
  readCallbacks(contract, operation)
  // A redirect is an error too, because clients follow none. Most redirects have no body.
  const redirects = responses.models.filter(
    ({ status, type }) => type !== undefined && status.startsWith('3'),
  )
  const errorType = define(
    'Error',
    bodiesOf([...responses.models.filter(({ status }) => /^[45]|^default$/.test(status)), ...redirects], /./),
    `The body of a documented error of \`${id}\`.`,
  )
  const retry = readRetry(contract, operation)
  const parts = [...parameters, ...bodies, responses]
  return {
    id,
    method,
    path,
    file: contract.source.file,
    pointer,
    summary: text(raw['summary']),
    description: text(raw['description']),
    notShown: notShown(raw['x-not-shown']),
    deprecated: raw['deprecated'] === true,
    ...operation.servers.read(contract, raw, item, pointer),
    tags: asList(raw['tags']).map(String),
    security: security.names,
    securityOptional: security.optional,
    securityDoc: security.doc,
    schemes: security.schemes,
    parameters: parameters.map(({ model }) => model),
    body: bodiesModel(bodies.map(({ model }) => model)),
    responses: responses.models,
    retry,
    outcome: readOutcome(contract, operation, retry),
    waiter: isObject(raw['x-waiter'])
      ? { ...raw['x-waiter'], failure: raw['x-waiter']['failure'] ?? [] }
      : undefined,
    pagination: readPagination(contract, operation, {
      parameters: parameters.map(({ model }) => model),
      responses: responses.models,
    }),
    secrets: [...new Set(parts.flatMap(({ secrets }) => secrets))].sort(),
    inputType,
    outputType,
    errorType,
    acceptsType: acceptsType(contract, id, responses.models),
    inputRequired: input.isRequired,
    hasInput: input.hasParts,
  }
}

/** Reads the second operation of an operation whose success is both a stream and another media type. It returns the stream. */
function readTwin(contract: Contract, operation: NamedOperation, first: OperationModel): OperationModel {
  const { id, pointer } = operation
  const typeName = pascalCase(id)
  const { models, secrets } = readResponses(contract, operation, { typeName, streams: true })
  contract.note(
    pointer,
    `generated as two operations: \`${first.id}\` returns the body, \`${id}\` the stream`,
  )
  return {
    ...first,
    id,
    pagination: undefined,
    responses: [...models, ...first.responses.filter(({ status }) => !status.startsWith('2'))],
    secrets: [...new Set([...first.secrets, ...secrets])].sort(),
    outputType: defineOutput(contract, operation, models),
    acceptsType: acceptsType(contract, id, models),
  }
}

function acceptsType(
  contract: Contract,
  id: string,
  responses: readonly ResponseModel[],
): string | undefined {
  // A caller can't request `*/*`, which names no media type.
  const hasOthers = responses.some(
    ({ contentType, others }) => contentType !== undefined && others !== undefined,
  )
  return hasOthers ? contract.definitions.take(`${pascalCase(id)}Accepts`) : undefined
}

function bodiesModel([first, ...others]: readonly BodyModel[]): BodiesModel | undefined {
  return first && { ...first, others }
}

/** Defines the type of a success, or the type of its items if it is a stream. */
function defineOutput(
  contract: Contract,
  { id, pointer }: NamedOperation,
  responses: readonly ResponseModel[],
): string {
  const hasSuccess = responses.some(({ status }) => status.startsWith('2'))
  const statuses = hasSuccess ? /^2/ : /^default$/
  const successes = responses.filter(({ status }) => statuses.test(status))
  const streams = successes.filter(({ kind }) => kind === 'items')
  if (streams.length > 0 && successes.some(({ kind }) => kind !== 'items' && kind !== 'empty'))
    contract.widen(pointer, 'only the successes that are streams are typed')
  const schema = bodiesOf(streams.length > 0 ? streams : successes, statuses)
  const what = streams.length > 0 ? 'An item of the stream that is a success' : 'The body of a success'
  const described = { ...schema, description: `${what} of \`${id}\`.` }
  return contract.define(`${pascalCase(id)}Output`, described, pointer)
}

function bodiesOf(responses: readonly ResponseModel[], statuses: RegExp): PlainSchema {
  return unionOf(responses.filter(({ status }) => statuses.test(status)).map(({ type }) => type))
}

/** The name of the function of an operation, derived from its operationId, or else from its method and path. */
function wantedName({ raw, method, path }: Pick<NamedOperation, 'raw' | 'method' | 'path'>): string {
  const { operationId } = raw
  const isNamed = typeof operationId === 'string' && operationId !== ''
  const name = toOperationName(
    isNamed ? operationId : `${method.toLowerCase()} ${path.replaceAll(/\{([^}]*)\}/g, 'by $1')}`,
  )
  // An interface can't declare another type for members that every object has, such as `toString`.
  return name in Object.prototype ? `${name}Operation` : name
}

/** Notes a function whose name isn't its operationId. */
function noteName(
  contract: Contract,
  { raw, id, before }: Pick<NamedOperation, 'raw' | 'id'> & { readonly before: OperationModel | undefined },
  pointer: string,
): void {
  const { operationId } = raw
  const called = `its function is called \`${id}\``
  if (typeof operationId !== 'string' || operationId === '')
    contract.note(pointer, `the operation has no operationId; ${called}`)
  else if (isReserved(operationId))
    contract.note(
      childPointer(pointer, 'operationId'),
      `\`${operationId}\` is a reserved word of JavaScript; ${called}`,
    )
  else if (!operationNamePattern.test(operationId))
    contract.note(
      childPointer(pointer, 'operationId'),
      `the operationId \`${operationId}\` isn't in camelCase; ${called}`,
    )
  else if (id !== operationId && !before)
    contract.note(
      childPointer(pointer, 'operationId'),
      `the generated files need the name \`${operationId}\` themselves; ${called}`,
    )
  if (before)
    contract.note(pointer, `another operation is called \`${before.id}\` (${before.pointer}); ${called}`)
}

/** Reads `x-outcome`. An operation that can always be sent again needs none. */
function readOutcome(
  contract: Contract,
  { raw, method, pointer }: NamedOperation,
  retry: OperationModel['retry'],
): OperationModel['outcome'] {
  const outcome = raw['x-outcome']
  const at = childPointer(pointer, 'x-outcome')
  if (retry.class === 'safe') {
    if (outcome !== undefined) contract.refuse(at, 'x-outcome is for operations that change something')
    return undefined
  }
  if (isObject(outcome)) {
    const { lookUp } = outcome
    const ids = operationIds(contract).map(String)
    if (lookUp !== undefined && !ids.includes(String(lookUp))) {
      const hint = didYouMean(String(lookUp), ids)
      contract.refuse(childPointer(at, 'lookUp'), `\`${String(lookUp)}\` isn't the id of an operation${hint}`)
    }
    return outcome
  }
  contract.note(
    pointer,
    'an operation that changes something needs x-outcome, which says how to learn whether the call took effect',
  )
  return IDEMPOTENT_METHODS.has(method) ? { again: 'harmless' } : { again: 'repeats' }
}

function operationIds({ root }: Contract): unknown[] {
  const items = Object.values(asObject(root['paths'])).filter(isObject)
  return items
    .flatMap((item) => [
      ...methods.map((method) => item[method]),
      ...Object.values(asObject(item['additionalOperations'])),
    ])
    .filter(isObject)
    .map((raw) => raw['operationId'])
}

const RETRY_CLASSES: ReadonlySet<string> = new Set(['safe', 'unsent-only', 'never'])
/** Methods that change nothing. RFC 9110, section 9.2.1; QUERY has the same semantics by definition. */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY'])
/** Methods that have the same effect when they are sent again. RFC 9110, section 9.2.2. */
const IDEMPOTENT_METHODS: ReadonlySet<string> = new Set(['PUT', 'DELETE'])

function readRetry(contract: Contract, { raw, method, pointer }: NamedOperation): OperationModel['retry'] {
  const retry = raw['x-retry']
  const byMethod = SAFE_METHODS.has(method) ? 'safe' : 'unsent-only'
  if (isObject(retry) && typeof retry['class'] === 'string') {
    // The check of the word's form reports other classes.
    if (!RETRY_CLASSES.has(retry['class'])) return { class: byMethod }
    const statuses = isList(retry['statuses']) ? retry['statuses'].map(Number) : undefined
    return { class: retry['class'], statuses }
  }
  contract.note(
    pointer,
    '`x-retry` is missing, so the HTTP method decides whether a request may be sent again',
  )
  return { class: byMethod }
}
