import {
  inlineFiles,
  readDocument,
  readSocketSpec,
  type SocketChannel,
  type SocketMessage,
  specsFile,
} from '@concord/spec-model'

import { isObject, type Json, type JsonObject } from './json.ts'
import { baseUrlNameOf, type Schemas, schemasOf, schemesOf, type SecurityScheme } from './specification.ts'

export interface ChannelMessage extends SocketMessage {
  /** The members with a constant value. They identify the message. */
  readonly tags: readonly { name: string; equals: Json }[]
}

export interface Channel extends Omit<SocketChannel, 'security' | 'sends' | 'receives'> {
  /** The name of the base URL: the server variable's name in camel case, such as `apiUrl` for `{api_url}`. */
  readonly baseUrlName: string
  /** A client needs a credential for one of these schemes. For a public channel, the list is empty. */
  readonly security: readonly SecurityScheme[]
  readonly fromClient: readonly ChannelMessage[]
  readonly toClient: readonly ChannelMessage[]
}

/** The channels of an AsyncAPI document. */
export interface ChannelSpecification extends Schemas {
  readonly channels: readonly Channel[]
}

const loaded = new Map<string, ChannelSpecification>()

/** Reads a contract from `@concord/specs`, such as `speech/asyncapi.yaml`, and caches it for the process. */
export function loadChannels(name: string): ChannelSpecification {
  const known = loaded.get(name)
  if (known) return known
  const file = specsFile(name)
  const specification = readChannels(readDocument(file) as JsonObject, file)
  loaded.set(name, specification)
  return specification
}

/** Extracts the channels of an AsyncAPI 3.0 document. `read` loads each file that the document references. */
export function readChannels(
  document: JsonObject,
  file: string,
  read: Parameters<typeof inlineFiles>[2] = readDocument,
): ChannelSpecification {
  const spec = readSocketSpec(inlineFiles(document, file, read), { file })
  const schemas = schemasOf(spec)
  const withTags = (message: SocketMessage): ChannelMessage => ({
    ...message,
    tags: Object.entries(schemas.propertiesOf(message.schema?.schema)).flatMap(([name, property]) =>
      isObject(property) && property['const'] !== undefined ? [{ name, equals: property['const'] }] : [],
    ),
  })
  return {
    ...schemas,
    channels: spec.channels.map((channel) => ({
      ...channel,
      baseUrlName: baseUrlNameOf(channel.server),
      security: schemesOf(spec, channel.security),
      fromClient: channel.sends.map(withTags),
      toClient: channel.receives.map(withTags),
    })),
  }
}
