import type { ChannelModel, OperationModel, ServiceModel } from '../normalize/model.ts'
import { type Service, runtimeInternals, runtimePackage, typesModule } from '../services.ts'
import { factsOf, usable } from './client-facts.ts'
import { sentence } from '../normalize/docs.ts'
import { factoryName } from '../normalize/names.ts'
import { type ClientNames, clientNames, upperSnake } from './client-names.ts'
import { securityFile } from './data-files.ts'
import { optionsInterface } from './client-options.ts'
import { printLiteral, printText } from './literal.ts'
import { outputOf } from './operations-file.ts'
import { comment, header, importNames } from './text.ts'

/** client.gen.ts: the client class. Undefined if the class is written by hand. */
export function clientFile(model: ServiceModel, service: Service): string | undefined {
  if (service.className === undefined) return undefined
  const names = clientNames(model, service.className)
  const awaited = model.operations.filter(canBeAwaited)
  return printClass({ model, service, names, awaited, submissions: submissionsOf(model, awaited) })
}

/** The statements with which a client's index exports the client class, its types and `securitySchemes`. */
export function clientExports(model: ServiceModel, { className: wanted }: Service): string {
  if (wanted === undefined) return ''
  const { className, optionsName, waitsName } = clientNames(model, wanted)
  const types = [optionsName, ...(model.operations.some(canBeAwaited) ? [waitsName] : [])]
  return (
    importNames('export', [className], './client.gen.ts') +
    importNames('export type', types, './client.gen.ts') +
    importNames('export', securityFile(model) === undefined ? [] : ['securitySchemes'], './security.gen.ts')
  )
}

interface ClassToPrint {
  readonly model: ServiceModel
  readonly service: Service
  readonly names: ClientNames
  readonly awaited: readonly OperationModel[]
  readonly submissions: readonly Submission[]
}

/** An operation that submits a job. Another operation, `shownBy`, returns the state of the job. */
interface Submission {
  readonly operation: OperationModel
  readonly shownBy: OperationModel
  /** The path parameter for the id of the job. */
  readonly parameter: string
}

/**
 * Finds the operations that submit jobs. An operation submits a job if its response contains an id, and if exactly
 * one operation in `awaited` has the same path, followed by a parameter for the id.
 */
function submissionsOf(
  { operations }: ServiceModel,
  awaited: readonly OperationModel[],
): readonly Submission[] {
  return operations.flatMap((operation): readonly Submission[] => {
    if (operation.outcome?.id === undefined || operation.waiter !== undefined) return []
    const path = operation.path.replace(/\/$/, '')
    const found = awaited.flatMap((shownBy) => {
      const parameter = /^\/\{([^}]*)\}\/?$/.exec(shownBy.path.slice(path.length))?.[1]
      const isThere = shownBy.path.startsWith(path) && parameter !== undefined
      return isThere && needsOnlyPath(shownBy) ? [{ operation, shownBy, parameter }] : []
    })
    return found.length === 1 ? found : []
  })
}

function needsOnlyPath({ parameters, body }: OperationModel): boolean {
  const isNeeded = parameters.some((one) => one.required && one.in !== 'path' && one.value === undefined)
  return !isNeeded && body?.required !== true
}

/**
 * Whether a client can wait for a job by calling this operation repeatedly. The operation must not have secret
 * parameters, because a resume token would contain them.
 */
function canBeAwaited({ waiter, parameters, secrets }: OperationModel): boolean {
  return waiter !== undefined && parameters.every(({ name }) => !secrets.includes(name))
}

function printClass(printed: ClassToPrint): string {
  const { model, names, awaited } = printed
  const about = comment([
    sentence(model.title),
    `\`\`\`ts\nconst client = new ${names.className}(${exampleOf(names)})\n\`\`\``,
    'Creating a client opens no connections. Secrets never appear in logs, errors, events or `inspect` output.',
    '@public',
  ])
  return [
    header(model) + importsOf(printed),
    optionsInterface(names),
    `const FACTS: ClientFacts = ${printLiteral(factsOf(names), '', 1000)}\n`,
    ...(awaited.length > 0 ? [waitsInterface(printed)] : []),
    `${about}export class ${names.className} {\n${[
      declarationsOf(printed),
      constructorOf(printed),
      fromEnvOf(names),
      ...connectMethods(printed),
      closeMethods(awaited.length > 0),
    ].join('\n')}}\n`,
  ].join('\n')
}

function importsOf({ model, service, names, awaited, submissions }: ClassToPrint): string {
  const factory = factoryName(service.apiName)
  const kinds = new Set([...names.credentials.values()].map(({ kind }) => kind))
  const only = (isNeeded: boolean, ...list: readonly string[]) => (isNeeded ? list : [])
  const hasChannels = model.channels.length > 0
  const hasWaits = awaited.length > 0
  const types = [
    ...awaited.flatMap(({ inputType, outputType }) => [inputType, outputType]),
    ...submissions.map(({ operation }) => operation.inputType),
  ]
  return [
    importNames('import type', types, typesModule(service)),
    importNames('import', ['createClient', ...only(hasChannels, 'connect')], runtimePackage),
    importNames(
      'import type',
      [
        'Client',
        ...only(hasChannels, 'Connection', 'ConnectOptions'),
        ...only(kinds.has('custom'), 'Credential'),
      ],
      runtimePackage,
    ),
    importNames(
      'import',
      [
        'readEnvironment',
        'toClientOptions',
        ...only(names.groups.size > 0, 'pick'),
        ...only(hasWaits, 'Waits'),
      ],
      runtimeInternals,
    ),
    importNames(
      'import type',
      [
        ...only(kinds.has('basic'), 'BasicSecret'),
        'ClassOptions',
        'ClientFacts',
        ...only(kinds.has('secret'), 'SecretSource'),
        ...only(hasWaits, 'Waiting'),
        ...only(submissions.length > 0, 'Submitting'),
      ],
      runtimeInternals,
    ),
    importNames('import', [factory, `${factory}WithResponse`], './api.gen.ts'),
    importNames('import type', [service.apiName, `${service.apiName}WithResponse`], './api.gen.ts'),
    importNames('import', names.channels.keys(), './channels.gen.ts'),
    importNames(
      'import',
      [...awaited, ...submissions.map(({ operation }) => operation)].map(({ id }) => id),
      './operations.gen.ts',
    ),
  ].join('')
}

function declarationsOf({ model, service: { apiName }, names, awaited }: ClassToPrint): string {
  const groups = [...names.groups].map(
    ([member, { tag, operations }]) =>
      comment(
        [beginning(model.tags.get(tag)) ?? `The operations with the tag \`${tag.replaceAll('`', "'")}\`.`],
        '  ',
      ) + `  readonly ${member}: Pick<${apiName}, ${operations.map((id) => printText(id)).join(' | ')}>\n`,
  )
  const waits = `  /** Functions that create handles on long-running work. Each is named after the operation that it uses. */
  readonly waits: ${names.waitsName}
  readonly #waits: Waits
`
  return `  /** All operations, exactly as on the wire. Each method makes one call. */
  readonly api: ${apiName}
  /** The same operations, but each method also returns the status, the headers, the request id and the body as received. */
  readonly withResponse: ${apiName}WithResponse
  /** The underlying client of the runtime. Use its methods, or pass it to functions such as \`stream\`. */
  readonly client: Client
${groups.join('')}${awaited.length > 0 ? waits : ''}`
}

/**
 * The first paragraph of a tag's description, without the headings before it. Some contracts have whole manuals in
 * their tag descriptions.
 */
function beginning(text: string | undefined): string | undefined {
  return text
    ?.split(/\n\s*\n/)
    .find((paragraph) => !/^(?:#|\s*$)/.test(paragraph))
    ?.trim()
}

function constructorOf({ service, names, awaited, submissions }: ClassToPrint): string {
  const factory = factoryName(service.apiName)
  const isRequired = [...names.servers.values()].some((addresses) => usable(addresses).length === 0)
  const groups = [...names.groups].map(
    ([member, { operations }]) =>
      `    this.${member} = pick(this.api, [${operations.map((id) => printText(id)).join(', ')}])\n`,
  )
  const isStarted = (one: OperationModel) => submissions.some(({ shownBy }) => shownBy === one)
  const shared = awaited.filter(isStarted).map(({ id }) => `    const ${id}Waits = this.#waits.of(${id})\n`)
  const members = [
    ...awaited.map((one) => [one.id, isStarted(one) ? `${one.id}Waits` : `this.#waits.of(${one.id})`]),
    ...submissions.map(({ operation: { id }, shownBy, parameter }) => [
      id,
      `this.#waits.from(${id}, ${shownBy.id}Waits, ${printText(parameter)})`,
    ]),
  ].map(([name, value]) => `      ${name}: ${value},\n`)
  const scheduler = `new Waits(this.client, ${printText(service.name)}, options.polling)`
  const object = `    this.waits = {\n${members.join('')}    }\n`
  const waits = `    this.#waits = ${scheduler}\n${shared.join('')}${object}`
  const doc = '  /** @throws OptionsError if an option is missing, unknown or unusable. */'
  return `${doc}
  constructor(options: ${names.optionsName}${isRequired ? '' : ' = {}'}) {
    this.client = createClient(toClientOptions(options, FACTS))
    this.api = ${factory}(this.client.send)
    this.withResponse = ${factory}WithResponse(this.client.exchange)
${groups.join('')}${awaited.length > 0 ? waits : ''}  }
`
}

function fromEnvOf(names: ClientNames): string {
  const { className, optionsName } = names
  const variables = variablesOf(names).map(([variable, option]) => `- \`${variable}\`: \`${option}\``)
  const about = comment(
    [
      'Creates a client from environment variables. Options take precedence. Only this method reads the environment.',
      variables.join('\n'),
      '@param env - Default: the environment of the process.\n@throws OptionsError in the same cases as the constructor.',
    ],
    '  ',
  )
  return `${about}  static fromEnv(
    options: Partial<${optionsName}> = {},
    env?: Readonly<Record<string, string | undefined>>,
  ): ${className} {
    return new ${className}({ ...readEnvironment(FACTS, env, options), ...options } as ${optionsName})
  }
`
}

function variablesOf({ prefix, servers, credentials }: ClientNames): [variable: string, option: string][] {
  const secrets = [...credentials].flatMap(([option, { kind }]) =>
    kind === 'basic'
      ? ['username', 'password'].map((part) => [`${option}_${part}`, `${option}.${part}`] as const)
      : kind === 'secret'
        ? [[option, option] as const]
        : [],
  )
  const addresses = [...servers.keys()].map((option) => [option, option] as const)
  return [...addresses, ...secrets].map(([name, option]) => [`${prefix}_${upperSnake(name)}`, option])
}

function connectMethods({ model, names }: ClassToPrint): string[] {
  return model.channels.map((channel) => {
    const { id, doc, address, file, pointer } = channel
    const about = comment(
      [
        doc,
        `Opens the WebSocket \`${address}\`.`,
        `@throws SocketError if the service denies the connection. Also throws ConnectionError and TimeoutError.\n@see \`${file}${pointer}\``,
      ],
      '  ',
    )
    return `${about}  ${names.channels.get(id)}(${connectOptions(channel)}): Promise<Connection<typeof ${id}>> {
    return connect(this.client, ${id}, options)
  }
`
  })
}

/** The parameter for the options of a connection. It is required if the handshake needs one of the options. */
function connectOptions({ id, parameters, query }: ChannelModel): string {
  const type = `ConnectOptions<typeof ${id}>`
  const required = [
    ...(parameters.some((one) => one.default === undefined) ? ["'parameters'"] : []),
    ...(query.some((one) => one.required) ? ["'query'"] : []),
  ]
  return required.length === 0
    ? `options?: ${type}`
    : `options: ${type} & Required<Pick<${type}, ${required.join(' | ')}>>`
}

function closeMethods(hasWaits: boolean): string {
  return `  /** Ends all calls${hasWaits ? ', all waits' : ''} and all connections. */
  close(): Promise<void> {
${hasWaits ? '    this.#waits.close()\n' : ''}    return this.client.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
`
}

function waitsInterface({ awaited, submissions, names }: ClassToPrint): string {
  const members = awaited.map(
    (operation) =>
      comment(
        [
          operation.summary && sentence(operation.summary),
          `Creates handles that wait for the end of the work. \`${operation.id}\` returns the state of the work.`,
        ],
        '  ',
      ) + `  readonly ${operation.id}: Waiting<${operation.inputType}, ${outputOf(operation)}>\n`,
  )
  return (
    `/** Functions that create handles on long-running work. Each is named after the operation that it uses. @public */\n` +
    `export interface ${names.waitsName} {\n${[...members, ...submissions.map(submissionMember)].join('')}}\n`
  )
}

function submissionMember({ operation, shownBy }: Submission): string {
  return (
    comment(
      [
        operation.summary && sentence(operation.summary),
        `Calls \`${operation.id}\`, and returns a handle on the submitted work. \`${shownBy.id}\` returns its state.`,
        '@throws SubmissionUncertainError if it is unknown whether the service accepted the work. Also throws all errors of the operation.',
      ],
      '  ',
    ) + `  readonly ${operation.id}: Submitting<${operation.inputType}, ${outputOf(shownBy)}>\n`
  )
}

function exampleOf({ servers, credentials }: ClientNames): string {
  const required = [...servers].filter(([, addresses]) => usable(addresses).length === 0)
  const addresses = required.map(([option]) => `${option}: 'https://api.example.com'`)
  const secrets = [...credentials].slice(0, 1).flatMap(([option, { kind, type }]) => {
    if (kind === 'basic') return `${option}: { username: 'the user', password: () => 'the password' }`
    const isToken = type === 'oauth2' || type === 'openIdConnect'
    return kind === 'secret' ? `${option}: () => '${isToken ? 'an access token' : 'the secret'}'` : []
  })
  const members = [...addresses, ...secrets]
  return members.length === 0 ? '' : `{ ${members.join(', ')} }`
}
