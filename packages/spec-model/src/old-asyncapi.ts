import { ContractError } from './errors.ts'
import { arrayOf, isObject, objectOf, type JsonObject } from './json.ts'

/** A part of the converter's interface, which is installed only where it is needed. */
interface Converter {
  convert(document: object, version: '3.0.0', options: object): unknown
}

/** Something that the converter asks a name for. */
interface Asked {
  readonly kind: string
  readonly key: string | number
  readonly object: JsonObject
  readonly parentId?: string
}

/** Whether a document is of AsyncAPI 2. */
export function isAsyncApi2(document: JsonObject): boolean {
  return /^2\.\d/.test(String(document['asyncapi']))
}

/**
 * Writes a document of AsyncAPI 2 as one of 3.0, with the converter of the AsyncAPI initiative, as the generator does.
 *
 * @throws {@link ContractError} if the converter isn't installed, or doesn't accept the document.
 */
export async function asAsyncApi3(document: JsonObject, file: string): Promise<JsonObject> {
  // Not a name that a bundler sees: the package is optional.
  const name = '@asyncapi/converter'
  let converter: Converter
  try {
    converter = (await import(name)) as Converter
  } catch (cause) {
    throw new ContractError(
      'spec-unsupported',
      `${file} is an AsyncAPI 2 document. The package @asyncapi/converter makes one of 3.0 from it, and is not installed.`,
      'Install it beside: npm install --save-dev @asyncapi/converter.',
      { cause },
    )
  }
  const names = new Map<string, number>()
  const idGenerator = ({ kind, key, object, parentId }: Asked): string => {
    if (kind === 'operation') return String(object['operationId'] ?? `${parentId}.${key}`)
    if (kind !== 'message') return String(object['x-channelId'] ?? key)
    const reference = typeof object['$ref'] === 'string' ? object['$ref'].split('/').at(-1) : undefined
    const wanted = String(object['messageId'] ?? reference ?? object['name'] ?? `${parentId}.message`)
    // The same component is the same message; others of one name are numbered.
    const count = reference === undefined ? (names.get(wanted) ?? 0) + 1 : 1
    names.set(wanted, count)
    return count === 1 ? wanted : `${wanted}${count}`
  }
  try {
    const given = { ...plainParameters(document), asyncapi: '2.6.0' }
    return converted(converter.convert(given, '3.0.0', { v2tov3: { idGenerator } })) as JsonObject
  } catch (cause) {
    throw new ContractError(
      'spec-unsupported',
      `${file} can't be converted to AsyncAPI 3.0: ${cause instanceof Error ? cause.message : String(cause)}.`,
      'Correct the document.',
      { cause },
    )
  }
}

/** A parameter of AsyncAPI 3 is a string, of which few keywords are kept; the converter complains about all others. */
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

/** Payloads of AsyncAPI 2 are of JSON Schema draft 07, where a list of `items` is what 2020-12 calls `prefixItems`. */
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
