import type { Problems } from '../problems.ts'
import { fromDraft07 } from './draft-07.ts'
import { type Json, type JsonObject, asObject, isList, isObject } from './json.ts'
import { childPointer, pointerSegments, segmentsToPointer } from './pointer.ts'
import type { Source } from './source.ts'

/** Whether a document is of a version before AsyncAPI 3 that the converter knows. */
export function isOldAsyncApi({ value }: Source): boolean {
  return /^(?:1\.[0-2]\.0|2\.0\.0-rc[12]|2\.[0-6]\.\d+)$/.test(String(value['asyncapi']))
}

/**
 * Writes a document of AsyncAPI 1 or 2 as one of 3.0, with the converter of the AsyncAPI initiative, which is loaded only here. The
 * places of what it moves are those of the original, for AsyncAPI 2.
 *
 * @throws GenerationError if the converter isn't installed, or doesn't accept the document.
 */
export async function asAsyncApi3(source: Source, problems: Problems): Promise<Source> {
  problems.depart(source.place('#/asyncapi'), 'converted to AsyncAPI 3.0 before it is read', 'noted')
  const convert = await loadConverter(source, problems)
  const names = new MessageNames()
  const lost: string[] = []
  const copy = marked(source.value, lost)
  for (const pointer of lost)
    problems.depart(
      source.place(pointer),
      'a parameter of an address is a string in AsyncAPI 3.0, so this is not checked',
      'widened',
    )
  let converted: JsonObject
  try {
    const given = { ...copy, asyncapi: String(source.value['asyncapi']).replace(/\.\d+$/, '.0') }
    converted = convert(given as never, '3.0.0', {
      v2tov3: {
        idGenerator: (asked) =>
          asked.kind === 'message' ? names.of(asked as unknown as Asked) : idOf(asked as unknown as Asked),
      },
    }) as unknown as JsonObject
  } catch (error) {
    problems.add(
      source.place('#'),
      `@asyncapi/converter can't convert it to AsyncAPI 3.0: ${error instanceof Error ? error.message : String(error)}`,
    )
    problems.throwIfAny()
    throw error
  }
  const origins = new Map<string, string>()
  const value = unmarked(converted, '#', origins) as JsonObject
  return {
    ...source,
    value: fromDraft07(value),
    place: (pointer) => source.place(originOf(pointer, origins)),
  }
}

async function loadConverter(source: Source, problems: Problems) {
  try {
    return (await import('@asyncapi/converter')).convert
  } catch {
    problems.add(
      source.place('#/asyncapi'),
      'a version before AsyncAPI 3 is converted by the package @asyncapi/converter, which is not installed; add it with ' +
        '`npm install --save-dev @asyncapi/converter`',
    )
    problems.throwIfAny()
    throw new Error('unreachable')
  }
}

/** Something that the converter asks a name for. */
interface Asked {
  readonly kind: string
  readonly key: string | number
  readonly path: readonly (string | number)[]
  readonly object: JsonObject
  readonly parentId?: string
  readonly asyncapi: JsonObject
}

function idOf({ kind, key, object, parentId }: Asked): string {
  if (kind === 'operation') return String(object['operationId'] ?? `${parentId}.${key}`)
  return String(object['x-channelId'] ?? key)
}

/** The names of messages: unique in their channel, and those of the document if it has any. */
class MessageNames {
  /** By channel and name, the message that has it. */
  readonly #taken = new Map<string, string>()

  of({ object, asyncapi, path, parentId }: Asked): string {
    const at = path.findIndex((segment) => segment === 'publish' || segment === 'subscribe')
    const channel = JSON.stringify(path.slice(0, Math.max(at, 0)))
    const reference = typeof object['$ref'] === 'string' ? object['$ref'] : undefined
    const target = reference === undefined ? object : targetOf(asyncapi, reference)
    const wanted = String(
      target?.['messageId'] ?? reference?.split('/').at(-1) ?? target?.['name'] ?? `${parentId}.message`,
    )
    const identity = reference ?? JSON.stringify(object)
    for (let count = 1; ; count++) {
      const name = count === 1 ? wanted : `${wanted}${count}`
      const owner = this.#taken.get(`${channel} ${name}`)
      if (owner !== undefined && owner !== identity) continue
      this.#taken.set(`${channel} ${name}`, identity)
      return name
    }
  }
}

function targetOf(document: JsonObject, reference: string): JsonObject | undefined {
  if (!reference.startsWith('#/')) return undefined
  const found = pointerSegments(reference).reduce<Json | undefined>(
    (value, name) => (isObject(value) ? value[name] : undefined),
    document,
  )
  return isObject(found) ? found : undefined
}

/** Where an object was before the conversion. */
const ORIGIN = 'x-generate-origin'

/** Kinds of components that the converter changes; its objects have a fixed set of members. */
const MARKED = ['channels', 'messages', 'messageTraits', 'operationTraits', 'schemas', 'servers']

/** A copy of a document, in which everything that the converter moves says where it was. */
function marked(document: JsonObject, lost: string[]): JsonObject {
  const copy = structuredClone(document) as Record<string, Json>
  if (!isObject(copy['info'])) copy['info'] = { title: 'Untitled', version: '0.0.0' }
  const components = asObject(copy['components'])
  for (const kind of ['servers', 'channels'])
    for (const [name, entry] of Object.entries(asObject(copy[kind])))
      mark(entry, segmentsToPointer([kind, name]))
  for (const path of [['channels'], ['components', 'channels']])
    for (const [name, channel] of Object.entries(
      asObject(path.length > 1 ? components['channels'] : copy['channels']),
    ))
      for (const [key, parameter] of Object.entries(asObject(asObject(channel)['parameters'])))
        plainParameter(parameter, segmentsToPointer([...path, name, 'parameters', key]), { document, lost })
  for (const [name, parameter] of Object.entries(asObject(components['parameters'])))
    plainParameter(parameter, segmentsToPointer(['components', 'parameters', name]), { document, lost })
  for (const kind of MARKED)
    for (const [name, entry] of Object.entries(asObject(components[kind])))
      mark(entry, segmentsToPointer(['components', kind, name]))
  return copy
}

function mark(entry: Json | undefined, pointer: string): void {
  if (!isObject(entry) || entry['$ref'] !== undefined) return
  const raw = entry as Record<string, Json>
  raw[ORIGIN] = pointer
  for (const key of ['publish', 'subscribe', 'message', 'payload', 'headers'])
    mark(raw[key], childPointer(pointer, key))
  if (isList(raw['oneOf']) && pointer.endsWith('/message'))
    raw['oneOf'].forEach((branch, index) => mark(branch, childPointer(pointer, 'oneOf', index)))
}

/** A parameter of AsyncAPI 3 is a string, of which the converter keeps a few keywords and complains about all others. */
function plainParameter(
  parameter: Json,
  pointer: string,
  { document, lost }: { readonly document: JsonObject; readonly lost: string[] },
): void {
  if (!isObject(parameter) || !isObject(parameter['schema'])) return
  const given = parameter['schema']
  const schema = typeof given['$ref'] === 'string' ? (targetOf(document, given['$ref']) ?? given) : given
  const kept = ['const', 'default', 'description', 'enum', 'examples']
  const others = Object.entries(schema).filter(([key]) => !kept.includes(key) && !key.startsWith('x-'))
  if (others.some(([key, value]) => !(key === 'type' && value === 'string') && key !== 'title'))
    lost.push(childPointer(pointer, 'schema'))
  ;(parameter as Record<string, Json>)['schema'] = Object.fromEntries(
    Object.entries(schema).filter(([key]) => kept.includes(key)),
  )
}

/** Takes the marks away again, and remembers them. */
function unmarked(value: Json, pointer: string, origins: Map<string, string>): Json {
  if (isList(value)) return value.map((item, index) => unmarked(item, childPointer(pointer, index), origins))
  if (!isObject(value)) return value
  if (typeof value[ORIGIN] === 'string') origins.set(pointer, value[ORIGIN])
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== ORIGIN)
      .map(([key, member]) => [key, unmarked(member, childPointer(pointer, key), origins)]),
  )
}

/** The place in the original of the closest thing around a place that was moved. */
function originOf(pointer: string, origins: ReadonlyMap<string, string>): string {
  const segments = pointerSegments(pointer)
  for (let length = segments.length; length > 0; length--) {
    const origin = origins.get(segmentsToPointer(segments.slice(0, length)))
    if (origin !== undefined) return childPointer(origin, ...segments.slice(length))
  }
  return pointer
}
