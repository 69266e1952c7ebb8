import type { SchemeModel } from '../normalize/security-schemes.ts'
import type { AddressModel } from '../normalize/servers.ts'
import { usable } from './client-facts.ts'
import type { ClientNames } from './client-names.ts'
import { printKey, printText } from './literal.ts'
import { comment } from './text.ts'

export function optionsInterface(names: ClientNames): string {
  const { className, optionsName, servers, credentials } = names
  const members = [
    ...[...servers].map(([option, addresses]) => serverOption(option, addresses, servers)),
    ...allServersOption(names),
    ...choiceOptions(names),
    ...[...credentials].map(([option, scheme]) => credentialOption(option, scheme)),
  ]
  return `/** Options of {@link ${className}}. @public */\nexport interface ${optionsName} extends ClassOptions {\n${members.join('')}}\n`
}

function serverOption(
  option: string,
  addresses: readonly AddressModel[],
  servers: ClientNames['servers'],
): string {
  const others = [...servers.keys()].filter((each) => each !== option).map((each) => `\`${each}\``)
  const [first] = usable(addresses)
  const [relative] = addresses
  const docs = [
    option === 'baseUrl'
      ? 'The base URL of the service. The paths of operations are appended to it.'
      : undefined,
    first === undefined
      ? relative && `The contract has only the relative URL \`${relative.url}\`, so pass the absolute URL.`
      : `Default: \`${first.url}\`.`,
    option === 'baseUrl' && others.length > 0
      ? `Some calls or connections use ${others.join(', ')} instead. \`allServers\` sets all base URLs at once.`
      : undefined,
  ]
  const isOptional = first !== undefined
  return (
    comment(docs.some((doc) => doc !== undefined) ? docs : ['The base URL of one of the servers.'], '  ') +
    `  readonly ${option}${isOptional ? '?' : ''}: string${isOptional ? ' | undefined' : ''}\n`
  )
}

function allServersOption({ servers }: ClientNames): string[] {
  if (servers.size < 2) return []
  const doc = comment(
    [
      'The base URL for all calls and connections, such as the URL of a mock. Options for single servers override it.',
    ],
    '  ',
  )
  return [`${doc}  readonly allServers?: string | undefined\n`]
}

/** The options `server` and `serverVariables`. */
function choiceOptions({ servers }: ClientNames): string[] {
  const groups = [...servers.values()].map(usable)
  const addresses = groups.flat()
  const choices = groups.filter(({ length }) => length > 1).flat()
  const names = new Map(choices.map(({ name, url, doc }) => [name, doc ?? url] as const))
  const variables = new Map(addresses.flatMap((address) => Object.entries(address.variables)))
  const options: string[] = []
  const [first] = names.keys()
  if (names.size > 1) {
    const list = [...names].map(([name, doc]) => `- \`${name}\`: ${doc}`).join('\n')
    options.push(
      comment([`The documented server to use. Default: \`${first}\`.`, list], '  ') +
        `  readonly server?: ${[...names.keys()].map((name) => printText(name)).join(' | ')} | undefined\n`,
    )
  }
  if (variables.size > 0) {
    const members = [...variables].map(([name, { default: usual, enum: values, description }]) => {
      const docs = [description, usual === undefined ? undefined : `Default: \`${usual}\`.`]
      const type = values === undefined ? 'string' : values.map((value) => printText(value)).join(' | ')
      return comment(docs, '    ') + `    readonly ${printKey(name)}?: ${type} | undefined\n`
    })
    options.push(
      comment(['Values for the variables in the server URLs.'], '  ') +
        `  readonly serverVariables?: {\n${members.join('')}  } | undefined\n`,
    )
  }
  return options
}

function credentialOption(option: string, scheme: SchemeModel): string {
  const { kind, place, type, name, doc } = scheme
  const types = { secret: 'SecretSource', basic: 'BasicSecret', custom: 'Credential', transport: 'never' }
  const how = {
    secret: place && `Sent in the ${place.in === 'query' ? 'query parameter' : place.in} \`${place.name}\`.`,
    basic: 'Sent as HTTP Basic.',
    custom: "The contract doesn't say how the credential is sent.",
    transport: undefined,
  }
  const tokens =
    type === 'oauth2' || type === 'openIdConnect'
      ? 'An access token, or a source of access tokens. `@concord/runtime/session` has sources that get and renew tokens.'
      : undefined
  return (
    comment(
      [doc ?? `The credential of the security scheme \`${name.replaceAll('`', "'")}\`.`, tokens, how[kind]],
      '  ',
    ) + `  readonly ${option}?: ${types[kind]} | undefined\n`
  )
}
