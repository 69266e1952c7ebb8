import type { Contract, ContractNode } from '../read/contract.ts'
import { asList, asObject, isList, isObject, type JsonObject } from '../read/json.ts'
import { notShown, text } from './docs.ts'
import { inputSchema } from './input.ts'
import type { BodiesModel, BodyModel, OperationModel, ResponseModel } from './model.ts'
import { noteSamePaths, noteUnknown } from './members.ts'
import { freeName, isReserved, operationNamePattern, pascalCase, toOperationName } from './names.ts'
import { readPagination } from './pagination.ts'
import { readParameters } from './parameters.ts'
import { readRequestBody } from './request-body.ts'
import { isAlsoStream, readResponses } from './responses.ts'
import { type PlainSchema, unionOf } from './rules.ts'
import { readSecurity } from './security.ts'
import { readServer } from './servers.ts'
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
  const paths = contract.root.at('paths')
  noteSamePaths(paths)
  for (const [key, place] of paths.members()) {
    if (!place.isObject) {
      if (!key.startsWith('x-')) place.widen('this is not a path item, so it has no operations')
      continue
    }
    const path = key.startsWith('/') ? key : `/${key}`
    if (path !== key) place.note('a path must begin with a slash; the client adds it')
    const item = readPathItem(place)
    for (const [member, node] of item) {
      if ((methods as readonly string[]).includes(member) || besideMethods.has(member)) continue
      if (!member.startsWith('x-')) node.widen(`\`${member}\` of a path is ignored`)
    }
    for (const { method, node } of methodsOf(item)) {
      const { operationId } = node.raw
      const wanted = wantedName(operationId, method, path)
      // An operation whose operationId is a valid name keeps that name. A derived name that clashes with it is changed.
      const isTaken = (name: string) =>
        operations.has(name) || reserved.includes(name) || (name !== operationId && ids.has(name))
      const id = freeName(wanted, isTaken)
      noteName(node, id, operations.get(wanted))
      const named = { id, path, item, method, node }
      const operation = readOperation(named)
      operations.set(id, operation)
      if (!isAlsoStream(node)) continue
      const twin = freeName(`${id}Stream`, isTaken)
      operations.set(twin, readTwin({ ...named, id: twin }, operation))
    }
  }
  return [...operations.values()]
}

type PathItem = ReadonlyMap<string, ContractNode>

/**
 * Reads the members of a path item, including those of the target of its `$ref`. If the same member is in both, the
 * one beside the `$ref` counts; OpenAPI doesn't define this.
 */
function readPathItem(place: ContractNode): PathItem {
  if (typeof place.raw['$ref'] !== 'string') return new Map(place.members())
  const target = place.follow()
  if (target.value !== null && !target.isObject)
    place.widen('the reference leads to a value that is not a path item, so it has no operations', '$ref')
  const item = new Map(target.members())
  for (const [name, node] of place.members()) {
    if (name === '$ref') continue
    if (item.has(name)) node.widen(`this \`${name}\` replaces the one in the target of \`$ref\``)
    item.set(name, node)
  }
  return item
}

/** The operations of a path, each with its method. */
function methodsOf(item: PathItem): readonly Pick<NamedOperation, 'method' | 'node'>[] {
  const others = item.get('additionalOperations')
  if (!isObject(others?.value ?? {}))
    others?.widen('`additionalOperations` must be an object that maps HTTP methods to operations')
  const named = (others?.members() ?? []).filter(([method, node]) => {
    const usual = method.toLowerCase()
    const isUsual = method === method.toUpperCase() && (methods as readonly string[]).includes(usual)
    if (isUsual) node.widen(`the operation is ignored here; move it to the field \`${usual}\` of the path`)
    else if (FORBIDDEN_METHODS.has(method.toUpperCase()))
      node.widen(`HTTP clients can't send \`${method}\` requests`)
    else if (!methodPattern.test(method)) node.widen("this isn't a valid HTTP method")
    else return true
    return false
  })
  const all = [
    ...methods.flatMap((method) => {
      const node = item.get(method)
      return node === undefined ? [] : [{ method: method.toUpperCase(), node }]
    }),
    ...named.map(([method, node]) => ({ method, node })),
  ]
  return all.filter(({ node }) => {
    if (!node.isObject) node.widen('this is not an operation')
    return node.isObject
  })
}

interface NamedOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly item: PathItem
  readonly node: ContractNode
}

function readOperation(operation: NamedOperation): OperationModel {
  const { id, path, item, method, node } = operation
  const { contract, raw } = node
  const typeName = pascalCase(id)
  noteUnknown('operation', node)
  const security = readSecurity(node)
  const parameters = readParameters(node, item.get('parameters'), path)
  const bodies = readRequestBody(node)
  const input = inputSchema(parameters, bodies)
  const responses = readResponses(node, method, typeName)
  const define = (suffix: string, schema: object, description: string) =>
    node.define(`${typeName}${suffix}`, { ...schema, description })
  const inputType = define('Input', input.schema, `The input of \`${id}\`.`)
  const outputType = defineOutput(operation, responses.models)
  readCallbacks(node, id)
  // A redirect is an error too, because clients don't follow redirects. Redirects without a body (most of them) don't
  // affect the type of the error's body.
  const redirects = responses.models.filter(
    ({ status, type }) => type !== undefined && status.startsWith('3'),
  )
  define(
    'Error',
    bodiesOf([...responses.models.filter(({ status }) => /^[45]|^default$/.test(status)), ...redirects], /./),
    `The body of a documented error of \`${id}\`.`,
  )
  const retry = readRetry(operation)
  const parts = [...parameters, ...bodies, responses]
  return {
    id,
    method,
    path,
    ...contract.locate(node.pointer),
    summary: text(raw['summary']),
    description: text(raw['description']),
    notShown: notShown(raw['x-not-shown']),
    deprecated: raw['deprecated'] === true,
    ...readServer(node, item.get('servers')),
    tags: asList(raw['tags']).map(String),
    security: security.names,
    securityOptional: security.optional,
    securityDoc: security.doc,
    schemes: security.schemes,
    parameters: parameters.map(({ model }) => model),
    body: bodiesModel(bodies.map(({ model }) => model)),
    responses: responses.models,
    retry,
    outcome: readOutcome(operation, retry),
    waiter: isObject(raw['x-waiter'])
      ? { ...raw['x-waiter'], failure: raw['x-waiter']['failure'] ?? [] }
      : undefined,
    pagination: readPagination(
      node,
      method,
      parameters.map(({ model }) => model),
      responses.models,
    ),
    secrets: [...new Set(parts.flatMap(({ secrets }) => secrets))].sort(),
    inputType,
    outputType,
    acceptsType: acceptsType(contract, id, responses.models),
    inputRequired: input.isRequired,
    hasInput: input.hasParts,
  }
}

/**
 * Returns the model of an operation's twin, which returns the stream. An operation gets a twin if the contract
 * documents a successful response both as a stream and with another media type.
 */
function readTwin(operation: NamedOperation, first: OperationModel): OperationModel {
  const { id, method, node } = operation
  const { models, secrets } = readResponses(node, method, pascalCase(id), true)
  node.note(`generated as two operations: \`${first.id}\` returns the body, \`${id}\` the stream`)
  return {
    ...first,
    id,
    pagination: undefined,
    responses: [...models, ...first.responses.filter(({ status }) => !status.startsWith('2'))],
    secrets: [...new Set([...first.secrets, ...secrets])].sort(),
    outputType: defineOutput(operation, models),
    acceptsType: acceptsType(node.contract, id, models),
  }
}

function acceptsType(
  contract: Contract,
  id: string,
  responses: readonly ResponseModel[],
): string | undefined {
  // A response of type `*/*` has no `contentType`. A caller can't request this response by its media type.
  const hasOthers = responses.some(
    ({ contentType, others }) => contentType !== undefined && others !== undefined,
  )
  return hasOthers ? contract.definitions.take(`${pascalCase(id)}Accepts`) : undefined
}

function bodiesModel([first, ...others]: readonly BodyModel[]): BodiesModel | undefined {
  return first && { ...first, others }
}

/** Defines the output type of an operation: the body of a successful response, or an item of a successful stream. */
function defineOutput({ id, node }: NamedOperation, responses: readonly ResponseModel[]): string {
  const hasSuccess = responses.some(({ status }) => status.startsWith('2'))
  const statuses = hasSuccess ? /^2/ : /^default$/
  const successes = responses.filter(({ status }) => statuses.test(status))
  const streams = successes.filter(({ kind }) => kind === 'items')
  if (streams.length > 0 && successes.some(({ kind }) => kind !== 'items' && kind !== 'empty'))
    node.widen('some successful responses are streams and others are not; only the streams have a type')
  const schema = bodiesOf(streams.length > 0 ? streams : successes, statuses)
  const what = streams.length > 0 ? 'An item of the stream' : 'The body of the success response'
  return node.define(`${pascalCase(id)}Output`, { ...schema, description: `${what} of \`${id}\`.` })
}

function bodiesOf(responses: readonly ResponseModel[], statuses: RegExp): PlainSchema {
  return unionOf(responses.filter(({ status }) => statuses.test(status)).map(({ type }) => type))
}

/** The name of the function of an operation, derived from its operationId, or else from its method and path. */
function wantedName(operationId: unknown, method: string, path: string): string {
  const isNamed = typeof operationId === 'string' && operationId !== ''
  const name = toOperationName(
    isNamed ? operationId : `${method.toLowerCase()} ${path.replaceAll(/\{([^}]*)\}/g, 'by $1')}`,
  )
  // Every object inherits members such as `toString`. An operation with the same name might not compile.
  return name in Object.prototype ? `${name}Operation` : name
}

/** Adds a note if the name of an operation's function isn't the operationId. */
function noteName(node: ContractNode, id: string, before: OperationModel | undefined): void {
  const { operationId } = node.raw
  const called = `the function is called \`${id}\``
  const note = (reason: string) => node.note(`${reason}; ${called}`, 'operationId')
  if (typeof operationId !== 'string' || operationId === '')
    node.note(`the operation has no operationId; ${called}`)
  else if (isReserved(operationId)) note(`\`${operationId}\` is a reserved word of JavaScript`)
  else if (!operationNamePattern.test(operationId))
    note(`the operationId \`${operationId}\` isn't in camelCase`)
  else if (id !== operationId && !before)
    note(`the generated files need the name \`${operationId}\` themselves`)
  if (before)
    node.note(
      `another operation (${before.pointer}) is called \`${before.id}\`; the function of this one is called \`${id}\``,
    )
}

/** Reads `x-outcome`. An operation whose retry class is `safe` must not have it. */
function readOutcome(
  { method, node }: NamedOperation,
  retry: OperationModel['retry'],
): OperationModel['outcome'] {
  const outcome = node.at('x-outcome')
  if (retry.class === 'safe') {
    if (outcome.value !== undefined)
      outcome.reject(
        "a `safe` operation can't have `x-outcome`, which is only for operations that change something",
      )
    return undefined
  }
  if (outcome.isObject) {
    const { lookUp } = outcome.raw
    const ids = operationIds(node.contract).map(String)
    if (lookUp !== undefined && !ids.includes(String(lookUp)))
      outcome.reject(
        `\`${String(lookUp)}\` isn't the id of an operation${didYouMean(String(lookUp), ids)}`,
        'lookUp',
      )
    return outcome.raw
  }
  node.note(
    'an operation that changes something needs x-outcome, which says how to learn whether the call took effect',
  )
  return IDEMPOTENT_METHODS.has(method) ? { again: 'harmless' } : { again: 'repeats' }
}

function operationIds(contract: Contract): unknown[] {
  const items = Object.values(asObject(contract.root.raw['paths'])).filter(isObject)
  return items
    .map((item) => ({ ...contract.resolveObject(item), ...item }))
    .flatMap((item: JsonObject) => [
      ...methods.map((method) => item[method]),
      ...Object.values(asObject(item['additionalOperations'])),
    ])
    .filter(isObject)
    .map((raw) => raw['operationId'])
}

const RETRY_CLASSES: ReadonlySet<string> = new Set(['safe', 'unsent-only', 'never'])
/** Methods that change nothing: the safe methods of RFC 9110 (section 9.2.1), and QUERY. */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY'])
/** Methods that have no further effect when they are sent again. RFC 9110, section 9.2.2. */
const IDEMPOTENT_METHODS: ReadonlySet<string> = new Set(['PUT', 'DELETE'])

function readRetry({ method, node }: NamedOperation): OperationModel['retry'] {
  const retry = node.raw['x-retry']
  const byMethod = SAFE_METHODS.has(method) ? 'safe' : 'unsent-only'
  if (isObject(retry) && typeof retry['class'] === 'string') {
    // `words/form.ts` reports an unknown class.
    if (!RETRY_CLASSES.has(retry['class'])) return { class: byMethod }
    const statuses = isList(retry['statuses']) ? retry['statuses'].map(Number) : undefined
    return { class: retry['class'], statuses }
  }
  node.note('`x-retry` is missing, so the HTTP method decides whether a request may be sent again')
  return { class: byMethod }
}
