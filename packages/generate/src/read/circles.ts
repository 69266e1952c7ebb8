/**
 * Finds the circles of a graph: the sets of nodes that all lead to each other (strongly connected components, Tarjan
 * 1972). Each node is visited once. The code isn't recursive, so that a long chain of references can't overflow the
 * stack.
 */
export class Circles<Node> {
  readonly #next: (node: Node) => readonly Node[]
  readonly #onFound: (members: readonly Node[]) => void
  /** The position of each node in the order of visits. */
  readonly #met = new Map<Node, number>()
  /** The known circles, by node. A node that isn't in a circle with other nodes has a circle of its own. */
  readonly #circles = new Map<Node, object>()

  /** @param onFound Called with the members of each circle. If circle A leads to circle B, B is reported first. */
  constructor(next: (node: Node) => readonly Node[], onFound: (members: readonly Node[]) => void = () => {}) {
    this.#next = next
    this.#onFound = onFound
  }

  /** Whether two nodes lead to each other. */
  areInOne(first: Node, second: Node): boolean {
    return this.of(first) === this.of(second)
  }

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

  /** Makes a circle from a node and all nodes after it in `open`. */
  #close(node: Node, open: Node[]): void {
    const circle = {}
    const members = open.splice(open.lastIndexOf(node))
    for (const each of members) this.#circles.set(each, circle)
    this.#onFound(members)
  }
}
