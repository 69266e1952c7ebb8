/**
 * Tells which nodes of a graph lead to each other: its strongly connected components (Tarjan 1972). Each node is looked at once,
 * without recursion, because chains of references may be longer than the stack is deep.
 */
export class Circles<Node> {
  readonly #next: (node: Node) => readonly Node[]
  readonly #onFound: (members: readonly Node[]) => void
  /** The order in which nodes were met. */
  readonly #met = new Map<Node, number>()
  /** The circles of nodes whose circle is known; a node that isn't in one has its own. */
  readonly #circles = new Map<Node, object>()

  /** @param onFound Called with the members of each circle, after the circles that they lead to. */
  constructor(next: (node: Node) => readonly Node[], onFound: (members: readonly Node[]) => void = () => {}) {
    this.#next = next
    this.#onFound = onFound
  }

  /** Whether two nodes lead to each other. */
  areInOne(first: Node, second: Node): boolean {
    return this.of(first) === this.of(second)
  }

  /** The circle that a node is in. */
  of(start: Node): object {
    const known = this.#circles.get(start)
    if (known) return known
    const open: Node[] = []
    const path = [this.#enter(start, open)]
    for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
      const inner = step.next.pop()
      if (inner === undefined) {
        path.pop()
        if (step.lowest === step.own) this.#close(step.node, open)
        const before = path.at(-1)
        if (before) before.lowest = Math.min(before.lowest, step.lowest)
      } else if (!this.#met.has(inner)) path.push(this.#enter(inner, open))
      else if (!this.#circles.has(inner)) step.lowest = Math.min(step.lowest, this.#met.get(inner)!)
    }
    return this.#circles.get(start)!
  }

  #enter(node: Node, open: Node[]) {
    const own = this.#met.size
    this.#met.set(node, own)
    open.push(node)
    return { node, own, lowest: own, next: [...this.#next(node)] }
  }

  /** Everything that was met since a node, and that has no circle yet, is in a circle with it. */
  #close(node: Node, open: Node[]): void {
    const circle = {}
    const members = open.splice(open.lastIndexOf(node))
    for (const each of members) this.#circles.set(each, circle)
    this.#onFound(members)
  }
}
