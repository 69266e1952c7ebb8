/** The URLs of one call, one connection, or one step of a walk (the script of a contract test). */
export interface CaseUrls {
  /** The base URL of each server of the contract. The key is the server's URL template. */
  readonly addresses: { readonly [server: string]: string }
  /** The requests outside of every base URL, such as `GET /path`, or `/path` for a connection. */
  readonly strays: string[]
}

/**
 * Runs one case at a time. Each case has its own base URLs, all with a path prefix, to detect clients that drop the
 * prefix or use another call's URL.
 */
export class Cases<Recorded extends object> {
  readonly #origin: string
  #current:
    | { readonly recorded: Recorded & CaseUrls; readonly prefixes: ReadonlyMap<string, string> }
    | undefined
  #count = 0

  constructor(origin: string) {
    this.#origin = origin
  }

  async run(
    servers: readonly string[],
    record: Recorded,
    run: (recorded: Recorded & CaseUrls) => Promise<void>,
  ): Promise<Recorded & CaseUrls> {
    if (this.#current)
      throw new Error('Another test case is running. Run the checks of a suite one at a time.')
    this.#count += 1
    const prefixes = new Map(
      servers.map((server, index) => [`/case-${this.#count}/server-${index}/base%20path`, server]),
    )
    const urls = [...prefixes].map(([prefix, server]) => [server, this.#origin + prefix])
    const recorded = { ...record, addresses: Object.fromEntries(urls), strays: [] }
    this.#current = { recorded, prefixes }
    try {
      await run(recorded)
    } finally {
      this.#current = undefined
    }
    return recorded
  }

  /**
   * Finds the running case's server for a requested URL. If the URL has none of the case's prefixes, the request is
   * added to `strays`.
   */
  find(url: string, method = '') {
    if (!this.#current) return undefined
    const { recorded, prefixes } = this.#current
    for (const [prefix, server] of prefixes)
      if (url.startsWith(`${prefix}/`)) return { recorded, server, target: url.slice(prefix.length) }
    recorded.strays.push(`${method} ${url.split('?')[0]}`.trim())
    return undefined
  }
}
