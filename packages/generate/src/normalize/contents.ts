/** The id that a value shares with all equal values, and the length of the value as JSON. */
interface Content {
  readonly id: number
  readonly length: number
}

/**
 * Assigns the same id to equal values. Unlike `JSON.stringify`, this class visits each object only once, even if the
 * object occurs in many places.
 */
export class Contents {
  readonly #ids = new Map<string, number>()
  readonly #known = new WeakMap<object, Content>()

  of(value: unknown): Content {
    if (typeof value !== 'object' || value === null) {
      const text = String(JSON.stringify(value))
      return { id: this.#idOf(text), length: text.length }
    }
    const known = this.#known.get(value)
    if (known) return known
    const isList = Array.isArray(value)
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => ({ name: isList ? '' : `${JSON.stringify(name)}:`, content: this.of(member) }))
    const text = members.map(({ name, content }) => `${name}${content.id}`).join()
    const content = {
      id: this.#idOf(isList ? `[${text}]` : `{${text}}`),
      length: members.reduce((sum, { name, content: { length } }) => sum + name.length + length + 1, 1),
    }
    this.#known.set(value, content)
    return content
  }

  #idOf(text: string): number {
    const id = this.#ids.get(text) ?? this.#ids.size
    this.#ids.set(text, id)
    return id
  }
}
