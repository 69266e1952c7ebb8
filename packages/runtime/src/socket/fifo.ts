interface Node<Item> {
  readonly item: Item
  next: Node<Item> | undefined
}

/** Items in the order in which they were added. Adding and removing one takes the same time, however many there are. */
export class Fifo<Item> implements Iterable<Item> {
  #first: Node<Item> | undefined = undefined
  #last: Node<Item> | undefined = undefined
  #length = 0

  get length(): number {
    return this.#length
  }

  /** The oldest item. */
  get first(): Item | undefined {
    return this.#first?.item
  }

  push(item: Item): void {
    const node: Node<Item> = { item, next: undefined }
    if (this.#last === undefined) this.#first = node
    else this.#last.next = node
    this.#last = node
    this.#length += 1
  }

  /** Removes the oldest item. */
  shift(): Item | undefined {
    const node = this.#first
    if (node === undefined) return undefined
    this.#first = node.next
    if (node.next === undefined) this.#last = undefined
    this.#length -= 1
    return node.item
  }

  *[Symbol.iterator](): Generator<Item, void, undefined> {
    for (let node = this.#first; node !== undefined; node = node.next) yield node.item
  }
}
