import { sentence } from '../normalize/docs.ts'
import type { BodyModel, OperationModel, ResponseModel, ServiceModel } from '../normalize/model.ts'
import { type Service, runtimeInternals, runtimePackage, typesModule } from '../services.ts'
import type { ClientChecks } from './client-checks.ts'
import { Code, printLiteral, printText } from './literal.ts'
import { comment, header, importNames, noExports } from './text.ts'

/** Writes operations.gen.ts, which contains the descriptor of each operation. */
export function operationsFile(model: ServiceModel, service: Service, checks: ClientChecks): string {
  const validators = typesModule(service)
  const types = model.operations.flatMap((operation) => [
    operation.inputType,
    operation.outputType,
    ...headerTypes(operation.responses),
    ...[
      ...errorsOf(operation).filter(isChecked),
      ...(operation.acceptsType !== undefined ? negotiatedOf(operation) : []),
    ].flatMap(({ type = '' }) => (RUNTIME_TYPES.has(type) ? `${type} as ${localName(type)}` : type)),
  ])
  const blocks = model.operations.map((operation) => {
    const { id, method, path, summary, file, pointer } = operation
    const type = typeOf(operation)
    return (
      comment([
        sentence(`\`${method} ${path}\`${summary === undefined ? '' : `: ${lowerFirst(summary)}`}`),
        `@see \`${file}${pointer}\``,
      ]) + `export const ${id}: ${type} = ${printLiteral(descriptor(operation, checks), '', 1000)}\n`
    )
  })
  if (blocks.length === 0) return `${header(model)}${noExports}`
  const accepts = model.operations
    .filter(({ acceptsType }) => acceptsType !== undefined)
    .map(acceptsDeclaration)
  const hasStreams = [...accepts, ...blocks].some((text) => text.includes('ItemStream<'))
  return [
    header(model) +
      checks.takeImport() +
      importNames('import type', types, validators) +
      importNames(
        'import type',
        [
          ...(hasStreams ? ['ItemStream'] : []),
          ...(model.operations.some(isPlain) ? ['OperationDescriptor'] : []),
        ],
        runtimePackage,
      ) +
      importNames('import type', specialTypes(model), runtimeInternals) +
      importNames('import', writersOf(model), runtimeInternals),
    ...accepts,
    ...blocks,
  ].join('\n')
}

/** An operation's success responses, one for each media type. Responses without a body type are left out. */
function negotiatedOf(operation: OperationModel): readonly ResponseModel[] {
  return successesOf(operation)
    .flatMap((each) => [each, ...(each.others ?? []).filter(({ contentType }) => contentType !== undefined)])
    .filter(({ type }) => type !== undefined)
}

const isPlain = ({ pagination, acceptsType }: OperationModel) => !pagination && acceptsType === undefined

/** The names of the types that the runtime exports only for generated code. */
function specialTypes({ operations }: ServiceModel): readonly string[] {
  return [
    ...(operations.some(({ acceptsType }) => acceptsType !== undefined) ? ['NegotiatedOperation'] : []),
    ...(operations.some(({ pagination }) => pagination) ? ['PageItem', 'PagedOperation'] : []),
  ]
}

function typeOf(operation: OperationModel): string {
  const { inputType, outputType, pagination, acceptsType } = operation
  const types = `${inputType}, ${outputOf(operation)}, ${errorBodies(operation)}`
  const errorHeaders = errorHeadersOf(operation)
  const headers = headersOf(operation) ?? (errorHeaders === undefined ? undefined : 'unknown')
  const last = [headers, errorHeaders].flatMap((each) => (each === undefined ? [] : `, ${each}`)).join('')
  const special = [
    ...(pagination
      ? [`PagedOperation<${types}, PageItem<${outputType}, ${printLiteral(pagination.items)}>${last}>`]
      : []),
    ...(acceptsType === undefined ? [] : [`NegotiatedOperation<${types}, ${acceptsType}${last}>`]),
  ]
  return special.length === 0 ? `OperationDescriptor<${types}${last}>` : special.join(' & ')
}

/** Redirects count as errors, because clients don't follow them. */
function errorsOf({ responses }: OperationModel): readonly ResponseModel[] {
  return responses.filter(({ status }) => /^[345]|^default$/.test(status))
}

/** The types of the runtime that operations.gen.ts can import. */
const RUNTIME_TYPES: ReadonlySet<string> = new Set(
  'ItemStream NegotiatedOperation OperationDescriptor PageItem PagedOperation'.split(' '),
)

/** The name of a contract's type in operations.gen.ts. */
function localName(type: string): string {
  return RUNTIME_TYPES.has(type) ? `${type}_` : type
}

/** Whether clients check the body of an error. */
function isChecked({ kind, type }: ResponseModel): boolean {
  return kind !== 'binary' && kind !== 'items' && type !== undefined
}

function errorBodies(operation: OperationModel): string {
  const members = errorsOf(operation).map(
    (response) =>
      `readonly ${memberName(response.status)}: ${isChecked(response) ? localName(response.type ?? '') : 'unknown'}`,
  )
  return members.length === 0 ? 'Record<never, never>' : `{ ${members.join('; ')} }`
}

/** Prints a status as a property name. */
function memberName(status: string): string {
  return /^\d(?!\d*X)/.test(status) || status === 'default' ? status : printText(status)
}

function errorHeadersOf(operation: OperationModel): string | undefined {
  const members = errorsOf(operation).flatMap(({ status, headerValues }) =>
    headerValues === undefined ? [] : `readonly ${memberName(status)}: ${headerValues.type}`,
  )
  return members.length === 0 ? undefined : `{ ${members.join('; ')} }`
}

/** `default` is a success if no response has a 2xx status. */
export function successesOf({ responses }: OperationModel): readonly ResponseModel[] {
  const hasSuccess = responses.some(({ status }) => status.startsWith('2'))
  return responses.filter(({ status }) => (hasSuccess ? status.startsWith('2') : status === 'default'))
}

/** The type of the documented headers of a success response; undefined if no headers are documented. */
export function headersOf(operation: OperationModel): string | undefined {
  const successes = successesOf(operation)
  const types = [...new Set(successes.flatMap(({ headerValues }) => headerValues?.type ?? []))]
  const isMissing = successes.some(({ headerValues }) => headerValues === undefined)
  if (types.length === 0) return undefined
  return types.map((type) => (isMissing ? `Partial<${type}>` : type)).join(' | ')
}

export function headerTypes(responses: readonly ResponseModel[]): readonly string[] {
  return responses.flatMap(({ headerValues }) => headerValues?.type ?? [])
}

/**
 * Declares a type with one member for each media type that a caller can request. Each member has the type of the
 * success response in that media type.
 */
function acceptsDeclaration(operation: OperationModel): string {
  const successes = successesOf(operation)
  const types = new Set(
    successes.flatMap(({ contentType, others = [] }) => [
      ...(contentType === undefined ? [] : [contentType]),
      ...others.map((each) => each.contentType ?? ''),
    ]),
  )
  const members = [...types].map((type) => {
    const bodies = successes.map(
      (each) => [each, ...(each.others ?? [])].find(({ contentType }) => contentType === type) ?? each,
    )
    return `  readonly ${printText(type)}: ${[...new Set(bodies.map(bodyType))].join(' | ')}\n`
  })
  return (
    `/** The success response of \`${operation.id}\`, by media type. The option \`accept\` selects the media type. @public */\n` +
    `export type ${operation.acceptsType} = {\n${members.join('')}}\n`
  )
}

function bodyType({ type, items, openBody }: ResponseModel): string {
  const name = type === undefined ? 'undefined' : localName(type)
  const body = items === undefined ? name : `ItemStream<${name}>`
  return openBody === true ? `${body} | undefined` : body
}

/** The result type of an operation: the body or a stream of items. Includes `undefined` if the body may be absent. */
export function outputOf({ outputType, responses }: OperationModel): string {
  const isStream = responses.some(isItems)
  const isOptional = responses.some(
    ({ openBody, status, kind }) => openBody || (isStream && status.startsWith('2') && kind === 'empty'),
  )
  const output = isStream ? `ItemStream<${outputType}>` : outputType
  return isOptional ? `${output} | undefined` : output
}

/** Whether a response is a success whose body is a stream of items. */
export function isItems({ kind, status }: ResponseModel): boolean {
  return kind === 'items' && (status.startsWith('2') || status === 'default')
}

/** Lists the members in the same order as in the type `OperationDescriptor`. */
function descriptor(operation: OperationModel, checks: ClientChecks): object {
  const { id, method, path, server, security, parameters, body, responses, retry, outcome, waiter } =
    operation
  return {
    id,
    method,
    path,
    server,
    security,
    securityOptional: operation.securityOptional || undefined,
    parameters: parameters.map(({ name, in: place, required, write, value }) => ({
      name,
      in: place,
      required,
      write: write === undefined ? undefined : new Code(write),
      value,
    })),
    body: body && {
      ...bodyDescriptor(body),
      others: body.others.length === 0 ? undefined : body.others.map(bodyDescriptor),
    },
    check: operation.hasInput ? checks.of(operation.inputType) : undefined,
    responses: Object.fromEntries(
      responses.map((response) => [response.status, responseDescriptor(response, checks)]),
    ),
    retry,
    outcome,
    waiter,
    pagination: operation.pagination,
    secrets: operation.secrets,
  }
}

function bodyDescriptor({ kind, contentType, required, parts }: BodyModel): object {
  return {
    kind,
    contentType,
    required,
    parts:
      parts &&
      mapValues(parts, ({ write, ...part }) => ({
        ...part,
        write: write === undefined ? undefined : new Code(write),
      })),
  }
}

function responseDescriptor(response: ResponseModel, checks: ClientChecks): object {
  const { headerValues } = response
  const { kind, contentType, items, openStatus, openBody, type, openEnums, rateMeanings, others } = response
  return {
    kind,
    contentType,
    items,
    openStatus,
    openBody,
    check: type === undefined || kind === 'binary' ? undefined : checks.of(type),
    openEnums: openEnums.length === 0 ? undefined : openEnums,
    rateMeanings,
    headers: headerValues && {
      read: new Code('readHeaders'),
      kinds: headerValues.kinds,
      check: checks.of(headerValues.type),
    },
    others:
      others &&
      Object.fromEntries(others.map((each) => [each.contentType, responseDescriptor(each, checks)])),
  }
}

/** The names of the runtime's functions that read response headers, write parameters or write body parts. */
function writersOf({ operations }: ServiceModel): string[] {
  return operations.flatMap((operation) => [
    ...(headerTypes(operation.responses).length > 0 ? ['readHeaders'] : []),
    ...writersIn(operation),
  ])
}

function writersIn({ parameters, body }: OperationModel): string[] {
  return [
    ...parameters,
    ...[body, ...(body?.others ?? [])].flatMap((each) => Object.values(each?.parts ?? {})),
  ].flatMap(({ write }) => write ?? [])
}

export function mapValues<Value, Result>(
  record: { readonly [name: string]: Value },
  change: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
