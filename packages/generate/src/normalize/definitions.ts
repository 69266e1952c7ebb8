import type { Found } from '../read/documents.ts'
import { childPointer, pointerSegments } from '../read/pointer.ts'
import { Contents } from './contents.ts'
import { freeName, globalTypeNames, schemaName } from './names.ts'
import { type PlainSchema, unionOf } from './rules.ts'

/** A schema that is the target of a reference, but not a component of the contract. */
interface ReferredSchema {
  readonly found: Found
  readonly name: string
  /** The contract in which the reference was found. */
  readonly owner: object
}

interface FilePlace {
  readonly file: string
  readonly pointer: string
}

/**
 * If a body's schema is shorter than this (in characters of JSON), each body with this schema has its own copy. Short
 * copies are easier to read than references.
 */
const SHORT = 200

/** The types of a service and their schemas. All names of types and schemas are different. */
export class Definitions {
  /** The schemas of the types, in the order in which they were defined. */
  readonly schemas = new Map<string, PlainSchema>()
  readonly #names = new Map<string, string>()
  readonly #taken = new Set<string>()
  /** The referred schemas, in the order in which they were found. Reading one of these schemas can add more. */
  readonly referred: ReferredSchema[] = []
  /** The type of each long response body, by the id of the body's schema (see {@link Contents}). */
  readonly #bodies = new Map<number, string>()
  readonly #contents = new Contents()

  /** Chooses the type name of each component: the component's own name, if a type can have that name. */
  nameComponents(file: string, components: Iterable<string>): void {
    const pending = [...components].map((name) => ({ name, legal: toTypeName(name) }))
    // Valid names come first, so that they aren't changed to make room for derived names.
    const isRight = (each: { readonly name: string; readonly legal: string }) => each.name === each.legal
    for (const { name, legal } of [...pending.filter(isRight), ...pending.filter((each) => !isRight(each))])
      this.#names.set(`${file}${childPointer('#/components/schemas', name)}`, this.take(legal))
  }

  /**
   * Returns the type name of a component, or of another schema that is the target of a reference.
   *
   * @param suffix - Distinguishes several types of the same schema.
   */
  of(place: FilePlace, referred?: Pick<ReferredSchema, 'found' | 'owner'>, suffix = ''): string {
    const plain = `${place.file}${place.pointer}`
    const key = suffix === '' ? plain : `${plain} ${suffix}`
    const known = this.#names.get(key)
    if (known !== undefined) return known
    const name = this.take(`${this.#names.get(plain) ?? toTypeName(wordsOf(place))}${suffix}`)
    this.#names.set(key, name)
    if (referred) this.referred.push({ ...referred, name })
    return name
  }

  /** Reserves names, so that no type gets them. */
  reserve(names: readonly string[]): void {
    for (const name of names) this.#taken.add(name.toLowerCase())
  }

  /** Reserves a name for a generated type: the wanted name, or else the wanted name with a number. */
  take(wanted: string): string {
    const name = freeName(wanted, (each) => this.#isTaken(each))
    for (const used of [name, schemaName(name)]) this.#taken.add(used.toLowerCase())
    return name
  }

  define(wanted: string, schema: PlainSchema): string {
    const name = this.take(wanted)
    this.schemas.set(name, schema)
    return name
  }

  /**
   * Adds the type of a response body. If an earlier long body has an equal schema, the new type refers to that body's
   * type. Some contracts repeat their error bodies in every operation, thousands of times in all.
   */
  defineBody(wanted: string, schema: PlainSchema): string {
    const { id, length } = this.#contents.of(schema)
    const same = this.#bodies.get(id)
    if (same !== undefined) return this.define(wanted, { ...schemaDoc(schema), ...unionOf([same]) })
    const name = this.define(wanted, schema)
    if (length >= SHORT) this.#bodies.set(id, name)
    return name
  }

  /** Names that differ only in case count as equal: `JobUrl` and `JobURL`. */
  #isTaken(name: string): boolean {
    const used = [name, schemaName(name)].map((each) => each.toLowerCase())
    return used.some((each) => this.#taken.has(each)) || globalTypeNames.has(name)
  }
}

export function schemaDoc({ description, deprecated }: PlainSchema): PlainSchema {
  return { ...(description !== undefined && { description }), ...(deprecated === true && { deprecated }) }
}

/** Converts a name to PascalCase, with letters and digits only. */
export function toTypeName(name: string): string {
  const words = name.split(/[^\p{L}\p{Nl}\p{Nd}]+/u)
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  return /^\p{Lu}/u.test(joined) ? joined : `Schema${joined}`
}

/** Pointer segments that don't identify a specific object. Type names leave them out. */
const KINDS = new Set([
  'components',
  'schemas',
  '$defs',
  'definitions',
  'properties',
  'content',
  'schema',
  'paths',
])

/** Returns the pointer segments that identify a schema, or the name of the file if the schema is a whole file. */
function wordsOf({ file, pointer }: FilePlace): string {
  const segments = pointerSegments(pointer).filter((segment) => !KINDS.has(segment))
  return segments.length > 0 ? segments.join(' ') : file.replace(/^.*\//, '').replace(/\.\w+$/, '')
}
