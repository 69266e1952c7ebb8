import type { OperationModel, ServiceModel } from '../normalize/model.ts'
import { type Service, runtimePackage } from '../services.ts'
import { outputOf } from './operations-file.ts'
import { comment, header, importNames } from './text.ts'

/** api.gen.ts: an interface with one documented method per operation, and what makes it. */
export function apiFile(model: ServiceModel, service: Service): string {
  const { apiName } = service
  const factory = apiName.charAt(0).toLowerCase() + apiName.slice(1)
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
      importNames('import type', types, service.validators.packageName) +
      importNames('import type', ['CallOptions', 'Client', 'Exchange', 'Send'], runtimePackage) +
      importNames(
        'import',
        model.operations.map(({ id }) => id),
        './operations.gen.ts',
      ),
    comment([`Every operation of the contract (${model.title}), exactly as on the wire.`, '@public']) +
      `export interface ${apiName} {\n${model.operations.map(method).join('\n')}}\n`,
    comment([
      `The operations of {@link ${apiName}}, each giving the whole answer: status, headers, request id and raw body.`,
      '@public',
    ]) +
      `export type ${apiName}WithResponse = {\n` +
      `  readonly [Name in keyof ${apiName}]: (\n` +
      `    ...call: Parameters<${apiName}[Name]>\n` +
      `  ) => Promise<Exchange<Awaited<ReturnType<${apiName}[Name]>>>>\n}\n`,
    `/** Makes the operations out of what sends one. */\n` +
      `export function ${factory}(send: Send): ${apiName} {\n  return {\n${calls('send')}  }\n}\n`,
    `/** Makes the operations that give the whole answer out of what exchanges one. */\n` +
      `export function ${factory}WithResponse(exchange: Client['exchange']): ${apiName}WithResponse {\n` +
      `  return {\n${calls('exchange')}  }\n}\n`,
  ].join('\n')
}

function method(operation: OperationModel): string {
  const { id, inputType, inputRequired } = operation
  return (
    comment(documentation(operation), '  ') +
    `  ${id}(input${inputRequired ? '' : '?'}: ${inputType}, options?: CallOptions): Promise<${outputOf(operation)}>\n`
  )
}

function documentation(operation: OperationModel): (string | undefined)[] {
  const {
    method: verb,
    path,
    summary,
    description,
    notShown,
    deprecated,
    responses,
    file,
    pointer,
  } = operation
  const success = responses.find(({ status }) => status.startsWith('2'))
  const errors = responses.filter(({ status }) => /^[45]/.test(status))
  return [
    summary === undefined ? undefined : `${summary}.`,
    description,
    `\`${verb} ${path}\``,
    notShown,
    [
      inputDoc(operation),
      `@returns ${firstParagraph(success?.doc) ?? 'The body of a success.'}`,
      ...errors.map(({ status, doc }) =>
        `@throws ApiError with status ${status}: ${firstParagraph(doc) ?? ''}`.trimEnd(),
      ),
      ...(deprecated ? ['@deprecated'] : []),
      `@see \`${file}${pointer}\``,
    ].join('\n'),
  ]
}

function inputDoc({ parameters, body, hasInput }: OperationModel): string {
  if (!hasInput) return '@param input - This operation has no input; leave it out or give `{}`.'
  const part = { path: 'path', query: 'query', header: 'headers' } as const
  const asked = parameters.filter(({ value }) => value === undefined)
  const lines = asked.map(({ name, in: place, required, doc }) => {
    const text = firstParagraph(doc)
    return `\`${part[place]}.${name}\`${required ? '' : ' (optional)'}${text === undefined ? '' : `: ${text}`}`
  })
  if (body) lines.push(`\`body\`${body.required ? '' : ' (optional)'}: sent as \`${body.contentType}\`.`)
  return `@param input - ${lines.join('\n  ')}`
}

function firstParagraph(text: string | undefined): string | undefined {
  return text?.split('\n\n')[0]?.replaceAll('\n', ' ')
}
