import type { BodiesModel, OperationModel, ServiceModel } from '../normalize/model.ts'
import { sentence } from '../normalize/docs.ts'
import { factoryName } from '../normalize/names.ts'
import { type Service, runtimeInternals, runtimePackage, typesModule } from '../services.ts'
import { inputPartOf } from '../normalize/input.ts'
import { printText } from './literal.ts'
import { headersOf, headerTypes, isItems, outputOf, successesOf } from './operations-file.ts'
import { canBeUncertain, uncertainDoc } from './outcome-doc.ts'
import { comment, header, importNames } from './text.ts'

/** api.gen.ts: an interface with one documented method per operation, and functions that create these methods. */
export function apiFile(model: ServiceModel, service: Service): string {
  const { apiName } = service
  const factory = factoryName(apiName)
  const withHeaders = model.operations.filter((operation) => headersOf(operation) !== undefined)
  const headersName = `${apiName}Headers`
  const negotiated = model.operations.filter(({ acceptsType }) => acceptsType !== undefined)
  const unused = model.operations.length === 0 ? '_' : ''
  const calls = (send: string, negotiate: string) =>
    model.operations
      .map(({ id, inputRequired, acceptsType }) => {
        const call = acceptsType === undefined ? `${send}(` : `${negotiate}(${send}, `
        return `    ${id}: (input${inputRequired ? '' : ' = {}'}, options) => ${call}${id}, input, options),\n`
      })
      .join('')
  return [
    header(model) + importsOf(model, service),
    comment([
      `All operations of the contract (${model.title}). Inputs and results are exactly as on the wire.`,
      '@public',
    ]) + `export interface ${apiName} {\n${model.operations.map(method).join('\n')}}\n`,
    comment([
      `The operations of {@link ${apiName}}, each returning the whole response: status, headers, request id and raw body.`,
      '@public',
    ]) +
      `export type ${apiName}WithResponse = {\n` +
      `  readonly [Name in ${plainNames(apiName, negotiated)}]: (\n` +
      `    ...call: Parameters<${apiName}[Name]>\n` +
      `  ) => Promise<Exchange<Awaited<ReturnType<${apiName}[Name]>>${
        withHeaders.length === 0 ? '' : `, Name extends keyof ${headersName} ? ${headersName}[Name] : unknown`
      }>>\n}` +
      (negotiated.length === 0
        ? '\n'
        : ` & {\n${negotiated.map((each) => negotiatedMethod(each, (type) => `Exchange<${[type, headersOf(each) ?? []].flat().join(', ')}>`)).join('')}}\n`),
    ...(withHeaders.length === 0
      ? []
      : [
          `/** The documented headers of each operation's success response. @public */\n` +
            `export interface ${headersName} {\n` +
            withHeaders.map((each) => `  readonly ${each.id}: ${headersOf(each)}\n`).join('') +
            '}\n',
        ]),
    `/** Creates the methods of all operations. They pass each call to \`send\`. */\n` +
      `export function ${factory}(${unused}send: Send): ${apiName} {\n  return {\n${calls('send', 'negotiate')}  }\n}\n`,
    `/** Creates the methods that return the whole response. They pass each call to \`exchange\`. */\n` +
      `export function ${factory}WithResponse(${unused}exchange: Client['exchange']): ${apiName}WithResponse {\n` +
      `  return {\n${calls('exchange', 'negotiateExchange')}  }\n}\n`,
  ].join('\n')
}

function importsOf(model: ServiceModel, service: Service): string {
  const types = model.operations.flatMap((operation) => [
    operation.inputType,
    ...(operation.acceptsType === undefined ? [operation.outputType] : []),
    ...headerTypes(successesOf(operation)),
  ])
  const negotiated = model.operations.filter(({ acceptsType }) => acceptsType !== undefined)
  const outputs = model.operations.filter(({ acceptsType }) => acceptsType === undefined).map(outputOf)
  return (
    importNames('import type', types, typesModule(service)) +
    importNames(
      'import type',
      [
        ...(model.operations.some(hasCallOptions) ? ['CallOptions'] : []),
        'Client',
        'Exchange',
        ...(outputs.some((type) => type.startsWith('ItemStream<')) ? ['ItemStream'] : []),
      ],
      runtimePackage,
    ) +
    importNames('import', negotiated.length > 0 ? ['negotiate', 'negotiateExchange'] : [], runtimeInternals) +
    importNames(
      'import type',
      [
        ...(negotiated.length > 0 ? ['AcceptOptions'] : []),
        ...(model.operations.some(hasStreams) ? ['ItemStreamOptions'] : []),
        'Send',
      ],
      runtimeInternals,
    ) +
    importNames(
      'import',
      model.operations.map(({ id }) => id),
      './operations.gen.ts',
    ) +
    importNames(
      'import type',
      negotiated.map(({ acceptsType }) => String(acceptsType)),
      './operations.gen.ts',
    )
  )
}

/** The TypeScript type for the names of the operations whose success response has only one media type. */
function plainNames(apiName: string, negotiated: readonly OperationModel[]): string {
  const names = negotiated.map(({ id }) => printText(id)).join(' | ')
  return negotiated.length === 0 ? `keyof ${apiName}` : `Exclude<keyof ${apiName}, ${names}>`
}

/** Prints a method with the option `accept`, which selects one of the media types of the success response. */
function negotiatedMethod(operation: OperationModel, wrap: (type: string) => string): string {
  const { id, inputType, inputRequired, acceptsType, responses } = operation
  const first =
    responses.find(({ contentType, others }) => contentType !== undefined && others !== undefined)
      ?.contentType ?? ''
  const options = optionsOf(operation)
  const accept = options === 'CallOptions' ? 'AcceptOptions<Accept>' : `AcceptOptions<Accept, ${options}>`
  return (
    `  ${id}<Accept extends keyof ${acceptsType} = ${printText(first)}>(` +
    `input${inputRequired ? '' : '?'}: ${inputType}, options?: ${accept}): ` +
    `Promise<${wrap(`${acceptsType}[Accept]`)}>\n`
  )
}

function hasCallOptions(operation: OperationModel): boolean {
  return operation.acceptsType === undefined && optionsOf(operation) === 'CallOptions'
}

function optionsOf(operation: OperationModel): string {
  return hasStreams(operation) ? 'ItemStreamOptions' : 'CallOptions'
}

function hasStreams({ responses }: OperationModel): boolean {
  return responses.some(isItems)
}

function method(operation: OperationModel): string {
  const { id, inputType, inputRequired, acceptsType } = operation
  const about = comment(documentation(operation), '  ')
  if (acceptsType !== undefined) return about + negotiatedMethod(operation, (type) => type)
  const options = optionsOf(operation)
  return (
    about +
    `  ${id}(input${inputRequired ? '' : '?'}: ${inputType}, options?: ${options}): Promise<${outputOf(operation)}>\n`
  )
}

function documentation(operation: OperationModel): (string | undefined)[] {
  const {
    method: verb,
    path,
    summary,
    description,
    notShown,
    securityDoc,
    deprecated,
    responses,
    file,
    pointer,
  } = operation
  const success = responses.find(({ status }) => status.startsWith('2'))
  const errors = responses.filter(({ status }) => /^[45]/.test(status))
  const isUncertain = canBeUncertain(operation)
  return [
    summary === undefined ? undefined : sentence(summary),
    description,
    `\`${verb} ${path}\``,
    notShown,
    securityDoc,
    success?.headers,
    [
      inputDoc(operation),
      '@param options - Settings of this call, such as `signal` and `timeoutMs`.',
      `@returns ${firstParagraph(success?.doc) ?? 'The body of the success response.'}`,
      ...errors.map(({ status, doc }) =>
        `@throws ${isUncertain && status.startsWith('5') ? 'SubmissionUncertainError' : 'ApiError'} with status ${status}: ${firstParagraph(doc) ?? ''}`.trimEnd(),
      ),
      ...(isUncertain ? [`@throws ${uncertainDoc(operation)}`] : []),
      ...(deprecated ? ['@deprecated'] : []),
      `@see \`${file}${pointer}\``,
    ].join('\n'),
  ]
}

function inputDoc({ parameters, body, hasInput }: OperationModel): string {
  if (!hasInput) return '@param input - This operation has no input: omit this argument, or pass `{}`.'
  const inputs = parameters.filter(({ value }) => value === undefined)
  const lines = inputs.map(({ name, in: place, required, doc }) => {
    const text = firstParagraph(doc)
    return `\`${inputPartOf[place]}.${name}\`${required ? '' : ' (optional)'}${text === undefined ? '' : `: ${text}`}`
  })
  if (body)
    lines.push(
      `\`body\`${body.required ? '' : ' (optional)'}: sent as \`${body.contentType}\`${othersDoc(body)}.`,
    )
  return `@param input - ${lines.join('\n  ')}`
}

function othersDoc({ others }: BodiesModel): string {
  const types = others.map(({ contentType }) => `\`${contentType}\``)
  return types.length === 0 ? '' : `; \`contentType\` can select ${types.join(' or ')} instead`
}

/** The first paragraph on one line, except that each list item stays on its own line. */
function firstParagraph(text: string | undefined): string | undefined {
  const [first] = text?.split('\n\n') ?? []
  return first?.replaceAll(/\n(?!\s*(?:[*-]|\d+\.)\s)/g, ' ').replaceAll(/\n\s*/g, '\n  ')
}
