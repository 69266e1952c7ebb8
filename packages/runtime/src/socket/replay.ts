/** The largest number of configuration messages that is kept for a new connection. */
const MOST_KEPT = 256

interface Kept {
  readonly message: string
  readonly text: string
  /** JSON pointers to all values that are no objects. */
  readonly places: ReadonlySet<string>
}

/**
 * The messages that configured a connection, to be sent again on the next. A later one makes an earlier one of the
 * same kind needless when it sets every value that the earlier one had set; otherwise both are kept, in order, since
 * what a message leaves out may keep its value.
 */
export class Replay {
  #kept: Kept[] = []
  /** How many were too old to be kept. */
  forgotten = 0

  add(message: string, text: string): void {
    const places = new Set<string>()
    collectPlaces(JSON.parse(text), '', places)
    this.#kept = this.#kept.filter(
      (earlier) => earlier.message !== message || ![...earlier.places].every((place) => places.has(place)),
    )
    this.#kept.push({ message, text, places })
    if (this.#kept.length <= MOST_KEPT) return
    this.#kept.shift()
    this.forgotten += 1
  }

  get messages(): readonly { readonly message: string; readonly text: string }[] {
    return this.#kept
  }
}

function collectPlaces(value: unknown, at: string, places: Set<string>): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    places.add(at)
    return
  }
  for (const [name, item] of Object.entries(value)) collectPlaces(item, `${at}/${name}`, places)
}
