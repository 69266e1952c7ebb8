import { createRequire } from 'node:module'

import { reasonOf, unsupportedSpec } from './errors.ts'
import { arrayOf, isObject, objectOf, type JsonObject } from './json.ts'

const require = createRequire(import.meta.url)

/** Declared here, because the converter is an optional dependency. */
interface Converter {
  convert(document: object, version: '3.0.0', options: object): unknown
}

/** An object for which the converter needs an id. */
interface NamedObject {
  readonly kind: string
  readonly key: string | number
  readonly object: JsonObject
  readonly parentId?: string
}

export function isAsyncApi2(document: JsonObject): boolean {
  return /^2\.\d/.test(String(document['asyncapi']))
}

/**
 * Converts an AsyncAPI 2 document to 3.0 with the AsyncAPI Initiative's converter, as the generator does.
 *
 * @throws {@link ContractError} if the converter isn't installed, or doesn't accept the document.
 */
export function asAsyncApi3(document: JsonObject, file: string): JsonObject {
  let converter: Converter
  try {
    converter = require('@asyncapi/converter') as Converter
  } catch (cause) {
    throw unsupportedSpec(
      `${file} is an AsyncAPI 2 document. The package @asyncapi/converter, which converts it to 3.0, isn't installed.`,
      'Install the package: npm install --save-dev @asyncapi/converter.',
      { cause },
    )
  }
  const ids = new Set<string>()
  const idsOfComponents = new Map<string, string>()
  const freeId = (wanted: string): string => {
    let id = wanted
    for (let count = 2; ids.has(id); count++) id = `${wanted}${count}`
    ids.add(id)
    return id
  }
  const idGenerator = ({ kind, key, object, parentId }: NamedObject): string => {
    if (kind === 'operation') return String(object['operationId'] ?? `${parentId}.${key}`)
    if (kind !== 'message') return String(object['x-channelId'] ?? key)
    const reference = typeof object['$ref'] === 'string' ? object['$ref'] : undefined
    if (reference === undefined)
      return freeId(String(object['messageId'] ?? object['name'] ?? `${parentId}.message`))
    const id = idsOfComponents.get(reference) ?? freeId(reference.split('/').at(-1) ?? reference)
    idsOfComponents.set(reference, id)
    return id
  }
  try {
    const given = { ...plainParameters(document), asyncapi: '2.6.0' }
    return converted(converter.convert(given, '3.0.0', { v2tov3: { idGenerator } })) as JsonObject
  } catch (cause) {
    throw unsupportedSpec(
      `${file} can't be converted to AsyncAPI 3.0: ${reasonOf(cause)}.`,
      'Correct the document.',
      { cause },
    )
  }
}

/**
 * Removes the keywords that AsyncAPI 3 doesn't allow in parameters, because the converter would log a warning about
 * them.
 */
function plainParameters(document: JsonObject): JsonObject {
  const kept = ['const', 'default', 'description', 'enum', 'examples']
  const plain = (parameters: unknown): JsonObject =>
    Object.fromEntries(
      Object.entries(objectOf(parameters)).map(([name, parameter]) => {
        const schema = Object.entries(objectOf(objectOf(parameter)['schema']))
        const own = Object.fromEntries(schema.filter(([key]) => kept.includes(key)))
        return [
          name,
          isObject(parameter) && '$ref' in parameter ? parameter : { ...objectOf(parameter), schema: own },
        ]
      }),
    )
  const channels = Object.entries(objectOf(document['channels'])).map(([name, channel]) => [
    name,
    isObject(channel) && isObject(channel['parameters'])
      ? { ...channel, parameters: plain(channel['parameters']) }
      : channel,
  ])
  const components = objectOf(document['components'])
  return {
    ...document,
    info: isObject(document['info']) ? document['info'] : { title: 'Untitled', version: '0.0.0' },
    channels: Object.fromEntries(channels) as JsonObject,
    ...(isObject(components['parameters']) && {
      components: { ...components, parameters: plain(components['parameters']) },
    }),
  }
}

/** Converts schemas from JSON Schema draft 07 to 2020-12. */
function converted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(converted)
  if (!isObject(value)) return value
  const entries = Object.entries(value).flatMap(([key, one]): [string, unknown][] => {
    if (key === 'items' && Array.isArray(one)) return [['prefixItems', arrayOf(converted(one))]]
    if (key === 'additionalItems') return Array.isArray(value['items']) ? [['items', converted(one)]] : []
    return [[key, converted(one)]]
  })
  return Object.fromEntries(entries)
}
