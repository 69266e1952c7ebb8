import type { Found } from '../read/documents.ts'
import { childPointer, pointerSegments } from '../read/pointer.ts'
import { Contents } from './contents.ts'
import { freeName, globalTypeNames, schemaName } from './names.ts'
import type { PlainSchema } from './rules.ts'
import { unionOf } from './union.ts'

/** A schema that isn't a component of the document that is read, and that something refers to. */
interface ReferredSchema {
  readonly found: Found
  readonly name: string
  /** The reader that found it. */
  readonly owner: object
}

interface FilePlace {
  readonly file: string
  readonly pointer: string
}

/** Bodies that are written in less than this, as JSON, are easier to read than a reference to another type. */
const SHORT = 200

/** The types of a service. Each name is given out once, and can name a type and a schema. */
export class Definitions {
  /** The schemas of the types, in the order in which they were defined. */
  readonly schemas = new Map<string, PlainSchema>()
  readonly #names = new Map<string, string>()
  readonly #taken = new Set<string>()
  /** In the order in which they were found. Reading one of them may find others. */
  readonly referred: ReferredSchema[] = []
  /** The first type of each body, by the content of its schema. */
  readonly #bodies = new Map<number, string>()
  readonly #contents = new Contents()

  /** Names the components of a document. They keep their own names where these can be the names of types. */
  nameComponents(file: string, components: Iterable<string>): void {
    const pending = [...components].map((name) => ({ name, legal: toTypeName(name) }))
    // A name that is right already is not changed for the sake of another one.
    const isRight = (each: { readonly name: string; readonly legal: string }) => each.name === each.legal
    for (const { name, legal } of [...pending.filter(isRight), ...pending.filter((each) => !isRight(each))])
      this.#names.set(`${file}${childPointer('#/components/schemas', name)}`, this.take(legal))
  }

  /**
   * The name of the type of a schema that is a component, or that something refers to.
   *
   * @param suffix - Names another type of the same schema.
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

  /** Keeps names of types for something else. */
  reserve(names: readonly string[]): void {
    for (const name of names) this.#taken.add(name.toLowerCase())
  }

  /** A name for a type that is made up: the wanted one, or else that with a number. */
  take(wanted: string): string {
    const name = freeName(wanted, (each) => this.#isTaken(each))
    for (const used of [name, schemaName(name)]) this.#taken.add(used.toLowerCase())
    return name
  }

  /** Adds a type. Returns its name: the wanted one, or else that with a number. */
  define(wanted: string, schema: PlainSchema): string {
    const name = this.take(wanted)
    this.schemas.set(name, schema)
    return name
  }

  /**
   * Adds the type of the body of a response. If an earlier one has an equal schema, it is another name of the same type: services
   * copy the bodies of their errors into every operation, thousands of times in all.
   */
  defineBody(wanted: string, schema: PlainSchema): string {
    const { id, length } = this.#contents.of(schema)
    const same = this.#bodies.get(id)
    if (same !== undefined) return this.define(wanted, { ...schemaDoc(schema), ...unionOf([same]) })
    const name = this.define(wanted, schema)
    if (length >= SHORT) this.#bodies.set(id, name)
    return name
  }

  /** Schemas and checks have names with another case, so names that differ in nothing else would clash. */
  #isTaken(name: string): boolean {
    const used = [name, schemaName(name)].map((each) => each.toLowerCase())
    return used.some((each) => this.#taken.has(each)) || globalTypeNames.has(name)
  }
}

/** The parts of a schema that document it. */
export function schemaDoc({ description, deprecated }: PlainSchema): PlainSchema {
  return { ...(description !== undefined && { description }), ...(deprecated === true && { deprecated }) }
}

/** A name in PascalCase, with letters and digits only. */
export function toTypeName(name: string): string {
  const words = name.split(/[^\p{L}\p{Nl}\p{Nd}]+/u)
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  return /^\p{Lu}/u.test(joined) ? joined : `Schema${joined}`
}

/** Segments of a pointer that say what kind of thing is there, and nothing about it. */
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

/** The words of the path to a schema; the name of the file if the schema is all of it. */
function wordsOf({ file, pointer }: FilePlace): string {
  const segments = pointerSegments(pointer).filter((segment) => !KINDS.has(segment))
  return segments.length > 0 ? segments.join(' ') : file.replace(/^.*\//, '').replace(/\.\w+$/, '')
}
