import type { Contract } from '../read/contract.ts'
import { type JsonObject, isList, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import type { Definitions } from './definitions.ts'
import { notShown, text } from './docs.ts'
import { inputSchema } from './input.ts'
import type { OperationModel } from './model.ts'
import { camelCase, isReserved, operationNamePattern, pascalCase, toOperationName } from './names.ts'
import { type RawOperation, readParameters } from './parameters.ts'
import { readRequestBody } from './request-body.ts'
import { readResponses } from './responses.ts'
import { readSecurity } from './security.ts'
import { unionOf } from './union.ts'

const methods = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'] as const
const besideMethods = new Set(['parameters', 'summary', 'description', 'servers'])

/** Reads all operations under `paths`, and defines the types of their inputs, outputs and errors. */
export function readOperations(contract: Contract, definitions: Definitions): OperationModel[] {
  const operations = new Map<string, OperationModel>()
  const ids = new Set(operationIds(contract))
  const paths = isObject(contract.root['paths']) ? contract.root['paths'] : {}
  for (const [path, item] of Object.entries(paths)) {
    const at = childPointer('#/paths', path)
    if (!isObject(item)) continue
    for (const key of Object.keys(item)) {
      if ((methods as readonly string[]).includes(key) || besideMethods.has(key) || key.startsWith('x-'))
        continue
      contract.widen(childPointer(at, key), `\`${key}\` of a path is not read`)
    }
    for (const method of methods) {
      const raw = item[method]
      if (!isObject(raw)) continue
      const pointer = childPointer(at, method)
      const wanted = readId(contract, { raw, method, path }, pointer)
      const before = operations.get(wanted)
      if (before) contract.note(pointer, `the operationId \`${before.id}\` is also that of ${before.pointer}`)
      // A name that is right already is not changed for the sake of another one.
      const isTaken = (name: string) => operations.has(name) || (name !== raw['operationId'] && ids.has(name))
      const id = freeName(wanted, isTaken)
      operations.set(id, readOperation(contract, definitions, { id, path, item, method, raw, pointer }))
    }
  }
  return [...operations.values()]
}

interface NamedOperation extends RawOperation {
  readonly id: string
  readonly method: string
}

function readOperation(
  contract: Contract,
  definitions: Definitions,
  operation: NamedOperation,
): OperationModel {
  const { id, path, item, method, raw, pointer } = operation
  const typeName = pascalCase(id)
  const security = readSecurity(contract, raw, pointer)
  const parameters = readParameters(contract.requests, operation)
  const body = readRequestBody(contract.requests, raw, pointer)
  const input = inputSchema(parameters, body)
  const responses = readResponses(contract, definitions, operation, typeName)
  const bodiesOf = (statuses: RegExp) =>
    unionOf(responses.models.filter(({ status }) => statuses.test(status)).map(({ type }) => type))
  const hasSuccess = responses.models.some(({ status }) => status.startsWith('2'))
  const define = (suffix: string, schema: object, description: string) =>
    definitions.add(`${typeName}${suffix}`, { ...schema, description }, pointer, contract)
  const inputType = define('Input', input, `The input of \`${id}\`.`)
  const outputType = define(
    'Output',
    bodiesOf(hasSuccess ? /^2/ : /^default$/),
    `The body of a success of \`${id}\`.`,
  )
  const errorType = define(
    'Error',
    bodiesOf(/^[45]|^default$/),
    `The body of a documented error of \`${id}\`.`,
  )
  const retry = readRetry(contract, operation)
  const parts = [...parameters, ...(body ? [body] : []), responses]
  return {
    id,
    method: method.toUpperCase(),
    path,
    file: contract.source.file,
    pointer,
    summary: text(raw['summary']),
    description: text(raw['description']),
    notShown: notShown(raw['x-not-shown']),
    deprecated: raw['deprecated'] === true,
    server: readServer(contract, raw, item, pointer),
    security: security.names,
    securityOptional: security.optional,
    securityDoc: security.doc,
    schemes: security.schemes,
    parameters: parameters.map(({ model }) => model),
    body: body?.model,
    responses: responses.models,
    retry,
    outcome: readOutcome(contract, operation, retry),
    waiter: isObject(raw['x-waiter']) ? raw['x-waiter'] : undefined,
    secrets: [...new Set(parts.flatMap(({ secrets }) => secrets))].sort(),
    inputType,
    outputType,
    errorType,
    inputRequired: input.required !== undefined,
    hasInput: input.properties !== undefined,
  }
}

/** The name of the function of an operation: its operationId, or one made of its method and path. */
function readId(
  contract: Contract,
  { raw, method, path }: Pick<NamedOperation, 'raw' | 'method' | 'path'>,
  pointer: string,
): string {
  const id = raw['operationId']
  if (typeof id !== 'string' || id === '') {
    contract.note(pointer, 'an operation needs an operationId')
    return toOperationName(`${method} ${path.replaceAll(/\{([^}]*)\}/g, 'by $1')}`)
  }
  if (!operationNamePattern.test(id) || isReserved(id))
    contract.note(
      childPointer(pointer, 'operationId'),
      `\`${id}\` cannot be the name of a function; write it in camelCase, and not as a reserved word`,
    )
  return toOperationName(id)
}

function freeName(wanted: string, isTaken: (name: string) => boolean): string {
  let name = wanted
  for (let count = 2; isTaken(name); count++) name = `${wanted}${count}`
  return name
}

/** The name of the server: the variable that its address begins with, in camelCase; `baseUrl` without one. */
function readServer(contract: Contract, raw: JsonObject, item: JsonObject, pointer: string): string {
  const servers = raw['servers'] ?? item['servers'] ?? contract.root['servers']
  const [first, second] = isList(servers) ? servers : []
  if (second !== undefined) {
    contract.note(pointer, 'several servers are documented for this operation; write exactly one')
  }
  const address = isObject(first) ? String(first['url']) : ''
  const variable = /^\{([^}]+)\}/.exec(address)?.[1]
  return variable === undefined ? 'baseUrl' : camelCase(variable)
}

/** `x-outcome`; an operation that can be sent again at any time needs none. */
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
    if (lookUp !== undefined && !operationIds(contract).includes(String(lookUp))) {
      contract.refuse(childPointer(at, 'lookUp'), `\`${String(lookUp)}\` isn't the id of an operation`)
    }
    return outcome
  }
  contract.note(
    pointer,
    'an operation that changes something needs x-outcome, which says what its answer proves',
  )
  return IDEMPOTENT_METHODS.has(method) ? { again: 'harmless' } : { again: 'repeats' }
}

function operationIds({ root }: Contract): unknown[] {
  const items = Object.values(isObject(root['paths']) ? root['paths'] : {}).filter(isObject)
  return items
    .flatMap((item) => methods.map((method) => item[method]).filter(isObject))
    .map((raw) => raw['operationId'])
}

/** Methods that change nothing. RFC 9110, section 9.2.1. */
const SAFE_METHODS: ReadonlySet<string> = new Set(['get', 'head', 'options'])
/** Methods that have the same effect when they are sent again. RFC 9110, section 9.2.2. */
const IDEMPOTENT_METHODS: ReadonlySet<string> = new Set(['put', 'delete'])

function readRetry(contract: Contract, { raw, method, pointer }: NamedOperation): OperationModel['retry'] {
  const retry = raw['x-retry']
  if (isObject(retry) && typeof retry['class'] === 'string') {
    const statuses = isList(retry['statuses']) ? retry['statuses'].map(Number) : undefined
    return { class: retry['class'], statuses }
  }
  contract.note(pointer, 'an operation needs x-retry, which says whether it may be sent again')
  return { class: SAFE_METHODS.has(method) ? 'safe' : 'unsent-only' }
}
