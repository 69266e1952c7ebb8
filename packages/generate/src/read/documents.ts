import type { Place } from '../problems.ts'
import { type Json, type JsonObject, asObject, isList, isObject } from './json.ts'
import { childPointer, pointerSegments } from './pointer.ts'
import type { Source } from './source.ts'
import { walkDocument } from './walk-document.ts'

/**
 * A value in one of several documents. For documents other than the first, the pointer starts with the name of the
 * file.
 */
export interface Found {
  readonly raw: Json
  readonly pointer: string
}

/** The maximum number of `../` at the start of a path. */
const ABOVE = 32

/** The addresses of files have this prefix, so that references are resolved like URLs. */
const SCHEME = `contract:///${'~above/'.repeat(ABOVE)}`

/**
 * Finds the targets of references in documents that refer to one another. A reference can be a pointer, an anchor, or
 * the address of a schema (`$id`). See JSON Schema 2020-12, section 8.2.
 */
export class Documents {
  readonly #first: Source
  readonly #sources = new Map<string, Source>()
  /** The targets by address. Some addresses end with an anchor. */
  readonly #targets = new Map<string, Found>()
  /** For each object with a `$ref`, the address to which the reference is relative. */
  readonly #bases = new WeakMap<JsonObject, string>()
  /** Notes about schemas whose address or anchor is wrong, or is likely to be a mistake. */
  readonly notes: { readonly pointer: string; readonly reason: string }[] = []
  readonly #following = new Set<JsonObject>()
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

  place(pointer: string): Place {
    const [file, inside] = splitPointer(pointer)
    const source = this.#sources.get(file) ?? this.#first
    return source.place(inside)
  }

  locate(pointer: string): Place {
    const [file, inside] = splitPointer(pointer)
    return { file: file === '' ? this.#first.file : file, pointer: inside }
  }

  /** The target of a value's `$ref`; undefined if the target is missing, or the value has no `$ref`. */
  target(raw: Json | undefined): Found | undefined {
    if (!isObject(raw) || typeof raw['$ref'] !== 'string') return undefined
    const known = this.#found.get(raw)
    if (known) return known
    // A reference has no target if its path leads through the reference itself.
    if (this.#following.has(raw)) return undefined
    this.#following.add(raw)
    const found = this.#find(raw)
    this.#following.delete(raw)
    if (found) this.#found.set(raw, found)
    return found
  }

  /** Copies a value. The references in the copy lead to the same targets. */
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

  /** The absolute address for the `$ref` of an object; undefined if the `$ref` isn't valid. */
  addressOf(raw: JsonObject): string | undefined {
    const base = this.#bases.get(raw) ?? addressOf(this.#first)
    try {
      return new URL(String(raw['$ref']), base).href.replace(/#$/, '')
    } catch {
      return undefined
    }
  }

  /** Follows a path, and the references on it. */
  #walk(start: Found, segments: readonly string[]): Found | undefined {
    let { raw, pointer } = start
    for (const segment of segments) {
      for (let hops = 0; hops < 100 && memberOf(raw, segment) === undefined; hops++) {
        const next = this.target(raw)
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

  /** If the `$id` of a schema has no effect or is likely to be a mistake, returns the reason. */
  #wrongAddress(
    raw: JsonObject,
    { own, outer, document }: { readonly own: string; readonly outer: string; readonly document: string },
  ): string | undefined {
    const id = raw['$id']
    // If `$id` is an object, it isn't an address: it is the schema of a property that is called `$id`.
    if (id === undefined || isObject(id)) return undefined
    if (typeof id !== 'string' || id === '') return "`$id` has no effect, because its value isn't a URI"
    const same = this.#targets.get(own)
    if (same?.raw === raw) return undefined
    if (!URL.canParse(id, outer)) return `\`${id}\` has no effect, because it isn't a URI`
    if (own.includes('#')) return `\`${id}\` has a fragment, which some tools reject; use \`$anchor\``
    if (same) return `\`${id}\` is also the address of ${same.pointer}, and references lead there`
    if (ABSOLUTE.test(id) || outer !== document) return undefined
    const address = fileOf(own) ?? own
    return `\`${id}\` is relative: the address of this schema is \`${address}\`, and its references are relative to that address; use an absolute URI`
  }

  #index(value: Json, base: string, start: string): void {
    walkDocument(value, { pointer: start, base }, (raw, pointer, own, outer) => {
      const reason = this.#wrongAddress(raw, { own, outer, document: base })
      if (reason !== undefined && !pointer.includes('/x-'))
        this.notes.push({ pointer: childPointer(pointer, '$id'), reason })
      // An empty or invalid `$id` must not replace the target of the document's address.
      if (typeof raw['$id'] === 'string' && !this.#targets.has(own)) this.#targets.set(own, { raw, pointer })
      for (const key of ['$anchor', '$dynamicAnchor']) {
        const anchor = raw[key]
        if (typeof anchor !== 'string') continue
        const address = `${own}#${anchor}`
        const before = this.#targets.get(address)
        if (before && before.raw !== raw)
          this.notes.push({
            pointer: childPointer(pointer, key),
            reason: `\`${key}: ${anchor}\` also occurs at ${before.pointer}; references lead to the last occurrence`,
          })
        this.#targets.set(address, { raw, pointer })
      }
      if (typeof raw['$ref'] === 'string') this.#bases.set(raw, own)
    })
  }
}

const ABSOLUTE = /^[a-z][a-z\d+.-]*:/i

/** The address of a document. Its references are relative to this address. */
export function addressOf({ file, address }: Pick<Source, 'file' | 'address'>): string {
  if (address !== undefined) return address
  return /^https?:/.test(file) ? file : new URL(file.replaceAll('#', '%23'), SCHEME).href
}

/**
 * The address in a document's `$self` (OpenAPI 3.2). References may use this address. Relative references in the
 * document are nevertheless relative to the address of its file.
 */
export function selfOf(source: Source): string | undefined {
  const self = asObject(source.value)['$self']
  if (typeof self !== 'string') return undefined
  return URL.parse(self, addressOf(source))?.href.replace(/#.*$/s, '')
}

/** The path of the file at `address`; undefined if the address isn't that of a file. */
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
