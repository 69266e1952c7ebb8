import type { Place } from '../problems.ts'
import { type Json, isList, isObject } from '../read/json.ts'
import { childPointer, pointerSegments } from '../read/pointer.ts'
import type { Source } from '../read/source.ts'

/** Where a value was written: the document, and the pointer in it. */
export interface Origin {
  readonly source: Source
  readonly pointer: string
}

/**
 * Remembers where the values of a changed document were written. A member was written where the object or list around it was
 * written, unless `move` noted another origin.
 */
export class Origins {
  readonly #root: Origin
  readonly #moved = new WeakMap<object, Map<string, Origin>>()

  constructor(source: Source) {
    this.#root = { source, pointer: '#' }
  }

  /** Notes the origin of a member of an object or a list, if it isn't that of the object or list. */
  move(holder: object, key: string | number, origin: Origin): void {
    const known = this.#moved.get(holder)
    if (known) known.set(String(key), origin)
    else this.#moved.set(holder, new Map([[String(key), origin]]))
  }

  /** The origin of a member of something whose origin is known. */
  member(holder: object, key: string | number, origin: Origin): Origin {
    return this.#moved.get(holder)?.get(String(key)) ?? inside(origin, key)
  }

  /** The origin of what a path leads to, or would lead to. */
  at(root: Json, path: readonly (string | number)[]): Origin {
    let origin = this.#root
    let value: Json | undefined = root
    for (const key of path) {
      if (!isObject(value) && !isList(value)) return inside(origin, key)
      origin = this.member(value, key, origin)
      value = isList(value) ? value[Number(key)] : value[key]
    }
    return origin
  }

  /** The place at which something in the changed document was written. */
  place(root: Json, pointer: string): Place {
    const { source, pointer: written } = this.at(root, pointerSegments(pointer))
    return source.place(written)
  }
}

/** The origin of a member that was written where its holder was. */
export function inside({ source, pointer }: Origin, key: string | number): Origin {
  return { source, pointer: childPointer(pointer, key) }
}
