import type { OperationModel, ServiceModel } from '../normalize/model.ts'
import { factoryName } from '../normalize/names.ts'
import { type Service, runtimeInternals, runtimePackage, typesModule } from '../services.ts'
import { inputPartOf } from '../normalize/input.ts'
import { isItems, outputOf, streamTypes } from './operations-file.ts'
import { canBeUncertain, uncertainDoc } from './outcome-doc.ts'
import { comment, header, importNames } from './text.ts'

/** api.gen.ts: an interface with one documented method per operation, and the functions that create it. */
export function apiFile(model: ServiceModel, service: Service): string {
  const { apiName } = service
  const factory = factoryName(apiName)
  const types = model.operations.flatMap(({ inputType, outputType }) => [inputType, outputType])
  const calls = (send: string) =>
    model.operations
      .map(
        ({ id, inputRequired }) =>
          `    ${id}: (input${inputRequired ? '' : ' = {}'}, options) => ${send}(${id}, input, options),\n`,
      )
      .join('')
  return [
    header(model) +
      importNames('import type', types, typesModule(service)) +
      importNames(
        'import type',
        ['CallOptions', 'Client', 'Exchange', ...streamTypes(model, 'ItemStream', 'ItemStreamOptions')],
        runtimePackage,
      ) +
      importNames('import type', ['Send'], runtimeInternals) +
      importNames(
        'import',
        model.operations.map(({ id }) => id),
        './operations.gen.ts',
      ),
    comment([`Every operation of the contract (${model.title}), exactly as on the wire.`, '@public']) +
      `export interface ${apiName} {\n${model.operations.map(method).join('\n')}}\n`,
    comment([
      `The operations of {@link ${apiName}}, each returning the whole answer: status, headers, request id and raw body.`,
      '@public',
    ]) +
      `export type ${apiName}WithResponse = {\n` +
      `  readonly [Name in keyof ${apiName}]: (\n` +
      `    ...call: Parameters<${apiName}[Name]>\n` +
      `  ) => Promise<Exchange<Awaited<ReturnType<${apiName}[Name]>>>>\n}\n`,
    `/** Creates the operations from a function that sends one. */\n` +
      `export function ${factory}(send: Send): ${apiName} {\n  return {\n${calls('send')}  }\n}\n`,
    `/** Creates the operations that return the whole answer from a function that sends one. */\n` +
      `export function ${factory}WithResponse(exchange: Client['exchange']): ${apiName}WithResponse {\n` +
      `  return {\n${calls('exchange')}  }\n}\n`,
  ].join('\n')
}

function method(operation: OperationModel): string {
  const { id, inputType, inputRequired } = operation
  const options = operation.responses.some(isItems) ? 'ItemStreamOptions' : 'CallOptions'
  return (
    comment(documentation(operation), '  ') +
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
    summary === undefined ? undefined : `${summary}.`,
    description,
    `\`${verb} ${path}\``,
    notShown,
    securityDoc,
    success?.headers,
    [
      inputDoc(operation),
      '@param options - Settings of this call, such as `signal` and `timeoutMs`.',
      `@returns ${firstParagraph(success?.doc) ?? 'The body of a success.'}`,
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
  if (!hasInput) return '@param input - This operation has no input: omit it, or pass `{}`.'
  const inputs = parameters.filter(({ value }) => value === undefined)
  const lines = inputs.map(({ name, in: place, required, doc }) => {
    const text = firstParagraph(doc)
    return `\`${inputPartOf[place]}.${name}\`${required ? '' : ' (optional)'}${text === undefined ? '' : `: ${text}`}`
  })
  if (body) lines.push(`\`body\`${body.required ? '' : ' (optional)'}: sent as \`${body.contentType}\`.`)
  return `@param input - ${lines.join('\n  ')}`
}

function firstParagraph(text: string | undefined): string | undefined {
  return text?.split('\n\n')[0]?.replaceAll('\n', ' ')
}
