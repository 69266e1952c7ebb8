import type { Problems } from '../problems.ts'
import { freeName } from '../normalize/names.ts'
import { fromDraft07 } from './draft-07.ts'
import { type Json, type JsonObject, asObject, isList, isObject } from './json.ts'
import { childPointer, pointerSegments, segmentsToPointer } from './pointer.ts'
import type { Source } from './source.ts'

/** Whether a document is AsyncAPI 1 or 2, in a version that the converter supports. */
export function isOldAsyncApi({ value }: Source): boolean {
  return /^(?:1\.[0-2]\.0|2\.0\.0-rc[12]|2\.[0-6]\.\d+)$/.test(String(value['asyncapi']))
}

/**
 * Converts a document of AsyncAPI 1 or 2 to 3.0, with the converter of the AsyncAPI initiative. For AsyncAPI 2,
 * the `place` method of the result finds the original places of the objects that the converter moves.
 *
 * @throws GenerationError if the converter isn't installed, or doesn't accept the document.
 */
export async function asAsyncApi3(source: Source, problems: Problems): Promise<Source> {
  problems.depart(
    source.place('#/asyncapi'),
    'the document is converted to AsyncAPI 3.0 before it is read',
    'noted',
  )
  const convert = await loadConverter(source, problems)
  const nameOf = messageNamer()
  const lost: string[] = []
  const copy = marked(source.value, lost)
  for (const pointer of lost)
    problems.depart(
      source.place(pointer),
      'in AsyncAPI 3.0, the parameters of an address are strings, so values are not checked against this schema',
      'widened',
    )
  let converted: JsonObject
  try {
    const given = { ...copy, asyncapi: String(source.value['asyncapi']).replace(/\.\d+$/, '.0') }
    converted = convert(given as never, '3.0.0', {
      v2tov3: {
        idGenerator: (asked) =>
          asked.kind === 'message' ? nameOf(asked as unknown as Asked) : idOf(asked as unknown as Asked),
      },
    }) as unknown as JsonObject
  } catch (error) {
    problems.fail(
      source.place('#'),
      `@asyncapi/converter can't convert the document to AsyncAPI 3.0: ${error instanceof Error ? error.message : String(error)}`,
    )
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
    problems.fail(
      source.place('#/asyncapi'),
      'a document of AsyncAPI 1 or 2 requires the package `@asyncapi/converter`, which is not installed; install it with ' +
        '`npm install --save-dev @asyncapi/converter`',
    )
  }
}

/** An object for which the converter requests a name. */
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

/**
 * Returns a function that chooses the name of a message. The function prefers the id or name in the document.
 * Different messages of a channel get different names.
 */
function messageNamer(): (asked: Asked) => string {
  /** The messages by channel and name. */
  const taken = new Map<string, string>()
  return ({ object, asyncapi, path, parentId }) => {
    const at = path.findIndex((segment) => segment === 'publish' || segment === 'subscribe')
    const channel = JSON.stringify(path.slice(0, Math.max(at, 0)))
    const reference = typeof object['$ref'] === 'string' ? object['$ref'] : undefined
    const target = reference === undefined ? object : targetOf(asyncapi, reference)
    const wanted = String(
      target?.['messageId'] ?? reference?.split('/').at(-1) ?? target?.['name'] ?? `${parentId}.message`,
    )
    const identity = reference ?? JSON.stringify(object)
    const name = freeName(wanted, (each) => (taken.get(`${channel} ${each}`) ?? identity) !== identity)
    taken.set(`${channel} ${name}`, identity)
    return name
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

/** The member that records where an object was before the conversion. */
const ORIGIN = 'x-generate-origin'

/** The kinds of components that the converter changes and moves. */
const MARKED = ['channels', 'messages', 'messageTraits', 'operationTraits', 'schemas', 'servers']

/** Copies a document. In the copy, every object that the converter moves has an {@link ORIGIN}. */
function marked(document: JsonObject, lost: string[]): JsonObject {
  const copy = structuredClone(document) as Record<string, Json>
  if (!isObject(copy['info'])) copy['info'] = { title: 'Untitled', version: '0.0.0' }
  const entriesAt = (...path: readonly string[]): [pointer: string, entry: Json][] => {
    const holder = path.reduce<Json | undefined>((value, key) => asObject(value)[key], copy)
    return Object.entries(asObject(holder)).map(([name, entry]) => [
      segmentsToPointer([...path, name]),
      entry,
    ])
  }
  for (const [pointer, entry] of [...entriesAt('servers'), ...entriesAt('channels')]) mark(entry, pointer)
  for (const [pointer, channel] of [...entriesAt('channels'), ...entriesAt('components', 'channels')])
    for (const [key, parameter] of Object.entries(asObject(asObject(channel)['parameters'])))
      plainParameter(parameter, childPointer(pointer, 'parameters', key), { document, lost })
  for (const [pointer, parameter] of entriesAt('components', 'parameters'))
    plainParameter(parameter, pointer, { document, lost })
  for (const kind of MARKED)
    for (const [pointer, entry] of entriesAt('components', kind)) mark(entry, pointer)
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

/**
 * Removes keywords that AsyncAPI 3 doesn't allow in parameters, because the converter would complain about them. If a
 * removed keyword restricts values, adds the schema's pointer to `lost`.
 */
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

/** Removes the marks, and records them in `origins`. */
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

/**
 * Converts a value's pointer in the converted document to the pointer in the original document. Uses the closest
 * marked object around the value.
 */
function originOf(pointer: string, origins: ReadonlyMap<string, string>): string {
  const segments = pointerSegments(pointer)
  for (let length = segments.length; length > 0; length--) {
    const origin = origins.get(segmentsToPointer(segments.slice(0, length)))
    if (origin !== undefined) return childPointer(origin, ...segments.slice(length))
  }
  return pointer
}
