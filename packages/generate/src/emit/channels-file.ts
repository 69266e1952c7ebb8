import type { ChannelModel, DirectionModel, MessageModel, ServiceModel } from '../normalize/model.ts'
import { type Service, runtimePackage, typesModule } from '../services.ts'
import type { ClientChecks } from './client-checks.ts'
import { printLiteral } from './literal.ts'
import { comment, header, importNames } from './text.ts'

/**
 * channels.gen.ts: the descriptor of each channel, and the types of its messages in each direction. Undefined if the
 * service has no channels.
 */
export function channelsFile(
  model: ServiceModel,
  service: Service,
  checks: ClientChecks,
): string | undefined {
  if (model.channels.length === 0) return undefined
  const validators = typesModule(service)
  const types = model.channels.flatMap(({ queryType, parametersType, sends, receives }) => [
    queryType,
    ...(parametersType === undefined ? [] : [parametersType]),
    ...[...sends.messages, ...receives.messages].flatMap(({ type }) => type ?? []),
  ])
  const blocks = model.channels.flatMap((channel) => [
    mapType(channel.sends, `The messages that a client sends on \`${channel.id}\`.`, channel.replies),
    mapType(channel.receives, `The messages that a client receives on \`${channel.id}\`.`),
    descriptorOf(channel, checks),
  ])
  return [
    header(model) +
      checks.takeImport() +
      importNames('import type', types, validators) +
      importNames('import type', ['ChannelDescriptor'], runtimePackage),
    ...blocks,
  ].join('\n')
}

function mapType(
  { mapType: name, messages, doc }: DirectionModel,
  first: string,
  replies: ChannelModel['replies'] = {},
): string {
  const head = comment([first, doc, '@public']) + `export type ${name} = `
  if (messages.length === 0) return `${head}Record<never, never>\n`
  const members = messages.map(
    (message) =>
      comment([message.doc, wireDoc(message), repliesDoc(replies[message.key])], '  ') +
      `  readonly ${message.key}: ${typeOf(message)}\n`,
  )
  return `${head}{\n${members.join('')}}\n`
}

function typeOf({ kind, type }: MessageModel): string {
  return kind === 'text' ? 'string' : (type ?? (kind === 'binary' ? 'Uint8Array' : 'unknown'))
}

function wireDoc({ kind, contentType }: MessageModel): string | undefined {
  if (kind === 'text') return `A text frame, \`${contentType}\`.`
  return kind === 'binary' ? `A binary frame, \`${contentType}\`.` : undefined
}

function repliesDoc(keys: readonly string[] | undefined): string | undefined {
  return keys && `The reply is ${keys.map((key) => `\`${key}\``).join(' or ')}.`
}

function descriptorOf(channel: ChannelModel, checks: ClientChecks): string {
  const { id, address, doc, file, pointer, queryType, sends, receives } = channel
  const parameters = channel.parametersType === undefined ? '' : `, ${channel.parametersType}`
  const type = `ChannelDescriptor<${queryType}, ${sends.mapType}, ${receives.mapType}${parameters}>`
  return (
    comment([doc, `The WebSocket \`${address}\`.`, `@public\n@see \`${file}${pointer}\``]) +
    `export const ${id}: ${type} = ${printLiteral(descriptor(channel, checks), '', 1000)}\n`
  )
}

/** The members are in the same order as in the type `ChannelDescriptor`. */
function descriptor(channel: ChannelModel, checks: ClientChecks): object {
  const { id, address, server, security, query, queryType, sends, receives, replies, rules, secrets } =
    channel
  return {
    id,
    address,
    server,
    security,
    securityOptional: channel.securityOptional || undefined,
    parameters: channel.parameters.length === 0 ? undefined : channel.parameters,
    parametersCheck: channel.parametersType === undefined ? undefined : checks.of(channel.parametersType),
    query,
    queryCheck: query.length === 0 ? undefined : checks.of(queryType),
    sends: Object.fromEntries(
      sends.messages.map((message) => [message.key, messageDescriptor(message, checks)]),
    ),
    receives: Object.fromEntries(
      receives.messages.map((message) => [message.key, messageDescriptor(message, checks)]),
    ),
    replies,
    rules,
    secrets,
  }
}

function messageDescriptor({ kind, type, tags, correlation }: MessageModel, checks: ClientChecks): object {
  if (kind !== 'json' || type === undefined) return { kind, tags, correlation }
  return { kind, check: checks.of(type), tags, correlation }
}
