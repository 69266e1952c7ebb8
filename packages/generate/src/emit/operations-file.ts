import type { OperationModel, ResponseModel, ServiceModel } from '../normalize/model.ts'
import { type Service, runtimeInternals, runtimePackage, typesModule } from '../services.ts'
import type { ClientChecks } from './client-checks.ts'
import { Code, printLiteral } from './literal.ts'
import { comment, header, importNames } from './text.ts'

/** operations.gen.ts: one descriptor per operation, as plain data. */
export function operationsFile(model: ServiceModel, service: Service, checks: ClientChecks): string {
  const validators = typesModule(service)
  const types = model.operations.flatMap(({ inputType, outputType, errorType }) => [
    inputType,
    outputType,
    errorType,
  ])
  const blocks = model.operations.map((operation) => {
    const { id, method, path, summary, file, pointer } = operation
    const type = typeOf(operation)
    return (
      comment([
        `\`${method} ${path}\`${summary === undefined ? '' : `: ${lowerFirst(summary)}`}.`,
        `@see \`${file}${pointer}\``,
      ]) + `export const ${id}: ${type} = ${printLiteral(descriptor(operation, checks), '', 1000)}\n`
    )
  })
  return [
    header(model) +
      checks.import +
      importNames('import type', types, validators) +
      importNames(
        'import type',
        [...streamTypes(model, 'ItemStream'), ...descriptorTypes(model)],
        runtimePackage,
      ) +
      importNames('import', writersOf(model), runtimeInternals),
    ...blocks,
  ].join('\n')
}

function descriptorTypes({ operations }: ServiceModel): readonly string[] {
  const paged = operations.filter(({ pagination }) => pagination !== undefined)
  return [
    ...(paged.length < operations.length || paged.length === 0 ? ['OperationDescriptor'] : []),
    ...(paged.length > 0 ? ['PageItem', 'PagedOperation'] : []),
  ]
}

/** The type of a descriptor. */
function typeOf(operation: OperationModel): string {
  const { inputType, errorType, outputType, pagination } = operation
  const types = `${inputType}, ${outputOf(operation)}, ${errorType}`
  if (!pagination) return `OperationDescriptor<${types}>`
  return `PagedOperation<${types}, PageItem<${outputType}, ${printLiteral(pagination.items)}>>`
}

/** The type of a success: its body, a stream of items, or nothing where the body may be absent. */
export function outputOf({ outputType, responses }: OperationModel): string {
  const isStream = responses.some(isItems)
  const isOptional = responses.some(
    ({ openBody, status, kind }) => openBody || (isStream && status.startsWith('2') && kind === 'empty'),
  )
  const output = isStream ? `ItemStream<${outputType}>` : outputType
  return isOptional ? `${output} | undefined` : output
}

/** Whether a response is a stream of items. */
export function isItems({ kind, status }: ResponseModel): boolean {
  return kind === 'items' && (status.startsWith('2') || status === 'default')
}

/** These names, if an operation of a service returns a stream of items. */
export function streamTypes({ operations }: ServiceModel, ...names: readonly string[]): readonly string[] {
  return operations.some(({ responses }) => responses.some(isItems)) ? names : []
}

/** The descriptor of an operation, member by member in the order of its type. */
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
      kind: body.kind,
      contentType: body.contentType,
      required: body.required,
      parts:
        body.parts &&
        mapValues(body.parts, ({ write, ...part }) => ({
          ...part,
          write: write === undefined ? undefined : new Code(write),
        })),
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

function responseDescriptor(response: ResponseModel, checks: ClientChecks): object {
  const { kind, contentType, items, openStatus, openBody, type, openEnums, rateMeanings } = response
  return {
    kind,
    contentType,
    items,
    openStatus,
    openBody,
    check: type === undefined || kind === 'binary' ? undefined : checks.of(type),
    openEnums: openEnums.length === 0 ? undefined : openEnums,
    rateMeanings,
  }
}

/** The functions of the runtime that write parameters and fields. */
function writersOf({ operations }: ServiceModel): string[] {
  return operations.flatMap(({ parameters, body }) =>
    [...parameters, ...Object.values(body?.parts ?? {})].flatMap(({ write }) => write ?? []),
  )
}

function mapValues<Value, Result>(
  record: { readonly [name: string]: Value },
  change: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
