import type { Place } from '../problems.ts'
import { type Json, type JsonObject, asObject, isList, isObject } from './json.ts'
import { childPointer, pointerSegments } from './pointer.ts'
import type { Source } from './source.ts'
import { walkDocument } from './walk-document.ts'

/** A place in one of some documents: a JSON pointer, after the name of the file unless it is the first one. */
export interface Found {
  readonly raw: Json
  readonly pointer: string
}

/** Folders above the one that paths are relative to, so that a path may lead out of it. */
const ABOVE = 32

/** Files have addresses of this scheme, so that references are resolved like those between pages. */
const SCHEME = `contract:///${'~above/'.repeat(ABOVE)}`

/**
 * Some documents that refer to one another, and what their references lead to: pointers, anchors, and schemas with an
 * address of their own (`$id`). JSON Schema 2020-12, section 8.2.
 */
export class Documents {
  readonly #first: Source
  readonly #sources = new Map<string, Source>()
  /** The targets of addresses without and with an anchor. */
  readonly #targets = new Map<string, Found>()
  /** The address that the references of a schema are relative to. */
  readonly #bases = new WeakMap<JsonObject, string>()
  /** Addresses and anchors of schemas that are wrong, or perhaps not what is meant. */
  readonly notes: { readonly pointer: string; readonly reason: string }[] = []
  /** The references that are being followed. */
  readonly #following = new Set<JsonObject>()
  /** The targets of references that were followed. */
  readonly #found = new WeakMap<JsonObject, Found>()

  constructor(first: Source, others: Iterable<Source> = []) {
    this.#first = first
    for (const source of [first, ...others]) {
      this.#sources.set(source.file, source)
      const start = source === first ? '#' : `${source.file}#`
      const address = addressOf(source)
      this.#targets.set(address, { raw: source.value, pointer: start })
      const self = selfOf(source)
      if (self !== undefined && !this.#targets.has(self))
        this.#targets.set(self, { raw: source.value, pointer: start })
      this.#index(source.value, address, start)
    }
  }

  /** The file and the line of a pointer. */
  place(pointer: string): Place {
    const [file, inside] = splitPointer(pointer)
    const source = this.#sources.get(file) ?? this.#first
    return source.place(inside)
  }

  /** The file that a pointer leads into, and the pointer in it. */
  locate(pointer: string): { readonly file: string; readonly pointer: string } {
    const [file, inside] = splitPointer(pointer)
    return { file: file === '' ? this.#first.file : file, pointer: inside }
  }

  /** The target of a `$ref`; undefined if it is missing. */
  target(raw: JsonObject): Found | undefined {
    const known = this.#found.get(raw)
    if (known) return known
    // A path through the reference itself leads to nothing.
    if (this.#following.has(raw)) return undefined
    this.#following.add(raw)
    const found = this.#find(raw)
    this.#following.delete(raw)
    if (found) this.#found.set(raw, found)
    return found
  }

  /** A copy of something, with references that lead to the same places. */
  copy<Value extends Json>(raw: Value): Value {
    if (isList(raw)) return raw.map((item) => this.copy(item)) as Json as Value
    if (!isObject(raw)) return raw
    const copied = Object.fromEntries(Object.entries(raw).map(([key, member]) => [key, this.copy(member)]))
    const base = this.#bases.get(raw)
    if (base !== undefined) this.#bases.set(copied, base)
    return copied as Json as Value
  }

  #find(raw: JsonObject): Found | undefined {
    const address = this.addressOf(raw)
    if (address === undefined) return undefined
    const whole = this.#targets.get(address)
    if (whole) return whole
    const [base = '', fragment = ''] = address.split('#')
    const start = this.#targets.get(base)
    const path = decoded(fragment)
    if (!start || path === undefined || (path !== '' && !path.startsWith('/'))) return undefined
    return this.#walk(start, pointerSegments(path))
  }

  /** The address that the `$ref` of something leads to; undefined if it is none. */
  addressOf(raw: JsonObject): string | undefined {
    const base = this.#bases.get(raw) ?? addressOf(this.#first)
    try {
      return new URL(String(raw['$ref']), base).href.replace(/#$/, '')
    } catch {
      return undefined
    }
  }

  /** Goes down a path, through references where the path leads through them. */
  #walk(start: Found, segments: readonly string[]): Found | undefined {
    let { raw, pointer } = start
    for (const segment of segments) {
      for (let hops = 0; hops < 100 && memberOf(raw, segment) === undefined; hops++) {
        const next = isObject(raw) && typeof raw['$ref'] === 'string' ? this.target(raw) : undefined
        if (!next) return undefined
        ;({ raw, pointer } = next)
      }
      const member = memberOf(raw, segment)
      if (member === undefined) return undefined
      raw = member
      pointer = childPointer(pointer, segment)
    }
    return { raw, pointer }
  }

  /** Notes an address of a schema that has no effect, or perhaps not the one that is meant. */
  #noteAddress(
    raw: JsonObject,
    pointer: string,
    { own, outer, document }: { readonly own: string; readonly outer: string; readonly document: string },
  ): void {
    const id = raw['$id']
    // A property or an extension may have this name.
    if (isObject(id) || pointer.includes('/x-')) return
    const reason = this.#wrongAddress(raw, id ?? null, { own, outer, document })
    if (reason !== undefined) this.notes.push({ pointer: childPointer(pointer, '$id'), reason })
  }

  #wrongAddress(
    raw: JsonObject,
    id: Json,
    { own, outer, document }: { readonly own: string; readonly outer: string; readonly document: string },
  ): string | undefined {
    if (typeof id !== 'string' || id === '') return 'it has no effect, because it needs a URI'
    const same = this.#targets.get(own)
    if (same?.raw === raw) return undefined
    if (!URL.canParse(id, outer)) return `\`${id}\` has no effect, because it isn't a URI`
    if (own.includes('#')) return `\`${id}\` has a fragment, which some tools reject; use \`$anchor\``
    if (same) return `\`${id}\` is the address of ${same.pointer} too, which references lead to`
    if (ABSOLUTE.test(id) || outer !== document) return undefined
    const address = fileOf(own) ?? own
    return `\`${id}\` is relative, so it and the references in it lead to \`${address}\`; use an absolute URI`
  }

  #index(value: Json, base: string, start: string): void {
    walkDocument(value, { pointer: start, base }, (raw, pointer, own, outer) => {
      if (raw['$id'] !== undefined) this.#noteAddress(raw, pointer, { own, outer, document: base })
      // One that is empty or no address would otherwise take the address of the document.
      if (typeof raw['$id'] === 'string' && !this.#targets.has(own)) this.#targets.set(own, { raw, pointer })
      for (const key of ['$anchor', '$dynamicAnchor']) {
        const anchor = raw[key]
        if (typeof anchor !== 'string') continue
        const address = `${own}#${anchor}`
        const before = this.#targets.get(address)
        if (before && before.raw !== raw)
          this.notes.push({
            pointer: childPointer(pointer, key),
            reason: `\`${key}: ${anchor}\` is at ${before.pointer} too; references lead to the one that comes last`,
          })
        this.#targets.set(address, { raw, pointer })
      }
      if (typeof raw['$ref'] === 'string') this.#bases.set(raw, own)
    })
  }
}

/** Addresses of which the one that a `$id` is relative to says nothing. */
const ABSOLUTE = /^[a-z][a-z\d+.-]*:/i

/** The address of a document, relative to which its references are resolved. */
export function addressOf({ file, address }: Pick<Source, 'file' | 'address'>): string {
  if (address !== undefined) return address
  return /^https?:/.test(file) ? file : new URL(file.replaceAll('#', '%23'), SCHEME).href
}

/**
 * The address of a document according to itself (`$self` of OpenAPI 3.2), which references may name. Relative references still lead
 * to the files beside the document.
 */
export function selfOf(source: Source): string | undefined {
  const self = asObject(source.value)['$self']
  if (typeof self !== 'string') return undefined
  return URL.parse(self, addressOf(source))?.href.replace(/#.*$/s, '')
}

/** The path of the file that has an address; undefined if it isn't that of a file. */
export function fileOf(address: string): string | undefined {
  if (!address.startsWith('contract:///')) return undefined
  const segments = address.slice('contract:///'.length).split('/')
  const outside = segments.findIndex((segment, index) => index >= ABOVE || segment !== '~above')
  const [below, above] = [segments.slice(Math.max(outside, 0)), ABOVE - Math.max(outside, 0)]
  return decoded('../'.repeat(above) + below.join('/'))
}

function memberOf(raw: Json, segment: string): Json | undefined {
  if (isList(raw)) return /^\d+$/.test(segment) ? raw[Number(segment)] : undefined
  return isObject(raw) && Object.hasOwn(raw, segment) ? raw[segment] : undefined
}

function splitPointer(pointer: string): [file: string, inside: string] {
  const at = pointer.indexOf('#')
  return [pointer.slice(0, Math.max(at, 0)), pointer.slice(Math.max(at, 0))]
}

function decoded(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return undefined
  }
}
