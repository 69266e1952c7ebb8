/** Something received, with how much of the network's bytes it stands for. */
export interface Sized {
  readonly sizeBytes: number
}

/** What is received, in order, until somebody takes it. It does not judge when it is full; it says how full it is. */
export class Inbox<Entry extends Sized> {
  #entries: (Entry | undefined)[] = []
  #head = 0
  #bytes = 0

  get count(): number {
    return this.#entries.length - this.#head
  }

  get bytes(): number {
    return this.#bytes
  }

  push(entry: Entry): void {
    this.#entries.push(entry)
    this.#bytes += entry.sizeBytes
  }

  shift(): Entry | undefined {
    const entry = this.#entries[this.#head]
    if (entry === undefined) return undefined
    this.#entries[this.#head] = undefined
    this.#head += 1
    this.#bytes -= entry.sizeBytes
    if (this.#head === this.#entries.length) {
      this.#entries.length = 0
      this.#head = 0
    } else if (this.#head >= 1024 && this.#head * 2 >= this.#entries.length) {
      this.#entries = this.#entries.slice(this.#head)
      this.#head = 0
    }
    return entry
  }

  clear(): number {
    const count = this.count
    this.#entries = []
    this.#head = 0
    this.#bytes = 0
    return count
  }
}
