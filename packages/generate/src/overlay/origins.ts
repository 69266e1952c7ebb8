import type { Place } from '../problems.ts'
import { type Json, isList, isObject } from '../read/json.ts'
import { childPointer, pointerSegments } from '../read/pointer.ts'
import type { Source } from '../read/source.ts'

/** The document or overlay that a value comes from, and the value's pointer in it. */
export interface Origin {
  readonly source: Source
  readonly pointer: string
}

/**
 * Records the origins of the values in a changed document. Unless recorded otherwise, a member comes from the same
 * document as the object or list that contains it.
 */
export class Origins {
  readonly #root: Origin
  readonly #moved = new WeakMap<object, Map<string, Origin>>()

  constructor(source: Source) {
    this.#root = { source, pointer: '#' }
  }

  /** Records the origin of a member that doesn't come from the same place as the object or list around it. */
  move(holder: object, key: string | number, origin: Origin): void {
    const known = this.#moved.get(holder)
    if (known) known.set(String(key), origin)
    else this.#moved.set(holder, new Map([[String(key), origin]]))
  }

  /** Returns the origin of a member of `holder`. The parameter `origin` is the origin of `holder`. */
  member(holder: object, key: string | number, origin: Origin): Origin {
    return this.#moved.get(holder)?.get(String(key)) ?? inside(origin, key)
  }

  /** The origin of the value at a path. The value may be missing. */
  at(root: Json, path: readonly (string | number)[]): Origin {
    let origin = this.#root
    let value: Json | undefined = root
    for (const key of path) {
      if (value === undefined || !(isObject(value) || isList(value))) {
        origin = inside(origin, key)
        value = undefined
        continue
      }
      origin = this.member(value, key, origin)
      value = isList(value) ? value[Number(key)] : value[key]
    }
    return origin
  }

  /** The original place of a value. `root` is the changed document, and `pointer` is the value's pointer in it. */
  place(root: Json, pointer: string): Place {
    const { source, pointer: written } = this.at(root, pointerSegments(pointer))
    return source.place(written)
  }
}

/** Returns the default origin of a member, from the origin of the object or list that contains the member. */
export function inside({ source, pointer }: Origin, key: string | number): Origin {
  return { source, pointer: childPointer(pointer, key) }
}
