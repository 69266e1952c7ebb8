import type { Problems } from '../problems.ts'
import { type Json, type JsonObject, isObject } from './json.ts'
import { childPointer, pointerSegments } from './pointer.ts'
import type { Source } from './source.ts'

/** A raw value of a contract with the place where it stands. */
export interface Found {
  readonly raw: Json
  readonly pointer: string
}

/** A contract being read: its raw text, and where its problems go. */
export class Contract {
  readonly source: Source
  readonly problems: Problems
  readonly #others: ReadonlyMap<string, Contract>

  /**
   * `others` are the contracts that this one may refer to, by the text before the `#`. No two of them have a
   * component of the same name, so a schema means the same whichever of them is asked.
   */
  constructor(source: Source, problems: Problems, others: ReadonlyMap<string, Contract> = new Map()) {
    this.source = source
    this.problems = problems
    this.#others = others
  }

  get root(): JsonObject {
    return this.source.value
  }

  /** Reports that something at a place cannot be generated from. */
  refuse(pointer: string, reason: string): void {
    this.problems.add(this.source.place(pointer), reason)
  }

  /** The schemas under `components`, by name. */
  get schemas(): JsonObject {
    const components = this.root['components']
    return isObject(components) && isObject(components['schemas']) ? components['schemas'] : {}
  }

  /** The component that the `$ref` of a schema names; undefined when there is none. */
  component(reference: string): (Found & { readonly name: string }) | undefined {
    const [, file, encoded] = /^([^#]*)#\/components\/schemas\/([^/]+)$/.exec(reference) ?? []
    if (encoded === undefined) return undefined
    if (file !== '') return this.#others.get(String(file))?.component(`#/components/schemas/${encoded}`)
    const name = decodeURIComponent(encoded)
    const raw = this.schemas[name]
    if (raw !== undefined) return { name, raw, pointer: childPointer('#/components/schemas', name) }
    // A schema that was reached in another file refers to its own file.
    for (const other of this.#others.values()) {
      const found = other.component(reference)
      if (found) return found
    }
    return undefined
  }

  /** A schema with its references to components followed. */
  resolve(raw: Json): Json {
    let current = raw
    for (let depth = 0; depth < 50 && isObject(current) && typeof current['$ref'] === 'string'; depth++) {
      const target = this.component(current['$ref'])
      if (!target) return current
      current = target.raw
    }
    return current
  }

  /** Follows a `$ref` to anywhere in this file, for everything but schemas; null if there is nothing. */
  follow(raw: Json, pointer: string): Found {
    if (!isObject(raw) || typeof raw['$ref'] !== 'string') return { raw, pointer }
    const reference = raw['$ref']
    let found: Json | undefined = reference.startsWith('#/') ? this.root : undefined
    for (const segment of pointerSegments(reference)) found = isObject(found) ? found[segment] : undefined
    if (found === undefined) {
      this.refuse(pointer, `\`${reference}\` is not in this file`)
      return { raw: null, pointer }
    }
    return this.follow(found, reference)
  }
}
