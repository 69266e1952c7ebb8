import { ContractDriftError, DeadlineError } from '../core/errors.ts'
import { readPointer } from '../core/json.ts'
import type { PagedOperation } from '../core/descriptors.ts'
import { parseDuration } from '../core/option-checks.ts'
import type { CallInput, CallOptions } from './call-options.ts'
import { coreOf } from './client-state.ts'
import type { Client } from './client.ts'
import { compose } from './compose.ts'
import { parsePathTemplate } from './path.ts'
import { perform } from './pipeline.ts'
import { type Plan, planOf } from './prepare.ts'
import type { Exchange } from './response.ts'

/** The items of all pages of a list. Each iteration begins with the first page. @public */
export interface Paginated<Page, Item> extends AsyncIterable<Item> {
  /** The pages themselves. */
  readonly pages: AsyncIterable<Page>
}

/**
 * Reads a list page by page, as defined by `x-pagination` in the contract. Each page is requested only when the
 * caller's loop reaches that page. If the loop ends early, no further pages are requested.
 *
 * `deadline` and `signal` apply to the whole iteration, and all other options apply to each page. If a page points to a
 * page that was already read, the iteration ends, and drift is reported.
 *
 * @example
 * ```ts
 * for await (const job of paginate(client, listJobs, { query: { limit: 100 } })) console.log(job.id)
 * ```
 *
 * @throws the errors of {@link Client.send}, and a ContractDriftError if the URL of the next page has another origin
 * than the service.
 * @public
 */
export function paginate<Input, Output, ErrorBody, Item>(
  client: Client,
  operation: PagedOperation<Input, Output, ErrorBody, Item>,
  input: Input,
  options: CallOptions = {},
): Paginated<Output, Item> {
  const read = () => new PageReader(client, operation as PagedOperation, options)
  return {
    pages: {
      async *[Symbol.asyncIterator]() {
        for await (const { data } of read().pages(input as CallInput)) yield data as Output
      },
    },
    async *[Symbol.asyncIterator]() {
      for await (const { items } of read().pages(input as CallInput)) yield* items as readonly Item[]
    },
  }
}

/** The request for the next page: a new input, or a path from the service's response. */
type Next = { readonly input: CallInput } | { readonly path: string }

interface Page {
  readonly data: unknown
  readonly items: readonly unknown[]
}

class PageReader {
  readonly #client: Client
  readonly #operation: PagedOperation
  readonly #options: CallOptions
  /** The cursors and paths of the pages that were read. */
  readonly #seen = new Set<string>()

  constructor(client: Client, operation: PagedOperation, options: CallOptions) {
    this.#client = client
    this.#operation = operation
    this.#options = options
  }

  async *pages(input: CallInput): AsyncGenerator<Page> {
    const { clock } = this.#client
    const limitMs = this.#options.deadline === undefined ? Infinity : parseDuration(this.#options.deadline)
    const beganMs = clock.monotonic()
    let next: Next | undefined = { input: input ?? {} }
    let before: string | undefined
    while (next !== undefined) {
      const elapsedMs = clock.monotonic() - beganMs
      if (elapsedMs >= limitMs) throw this.#tooLate(limitMs, elapsedMs)
      this.#options.signal?.throwIfAborted()
      const leftMs = limitMs - elapsedMs
      const options: CallOptions = { ...this.#options, ...(leftMs !== Infinity && { deadline: leftMs }) }
      const exchange: Exchange = await this.#request(next, input, options)
      const items = readPointer(exchange.data, this.#operation.pagination.items)
      if (!Array.isArray(items)) {
        this.#report(exchange, this.#operation.pagination.items, 'is not a list, so the page has no items')
        return
      }
      yield { data: exchange.data, items }
      next = await this.#following(next, exchange, items)
      if (next === undefined) return
      // A service that ignores the paging parameter would return the first page forever.
      const text = exchange.text()
      if ('input' in next && items.length > 0 && text === before) {
        this.#report(exchange, '', 'the page is the same as the previous page, so no further pages were read')
        return
      }
      before = text
    }
  }

  #request(next: Next, input: CallInput, options: CallOptions): Promise<Exchange> {
    if ('input' in next) return this.#client.exchange(this.#operation, next.input, options)
    const { path: _, query: __, ...others } = input
    const plan = planAt(planOf(coreOf(this.#client, this.#operation.id), this.#operation), next.path)
    const { query: ___, ...extra } = options.extra ?? {}
    return perform(plan, others, { ...options, extra }, 'exchange') as Promise<Exchange>
  }

  async #following(current: Next, exchange: Exchange, items: readonly unknown[]): Promise<Next | undefined> {
    const { by, more, next: pointer = '', first = 1 } = this.#operation.pagination
    if (more !== undefined && readPointer(exchange.data, more) === false) return undefined
    if (by === 'link') {
      const link = exchange.headers.get('link')
      return this.#at(current, exchange, link === null ? undefined : linkTarget(link, 'next'))
    }
    if (by === 'url') return this.#at(current, exchange, readPointer(exchange.data, pointer))
    const input = 'input' in current ? current.input : {}
    if (by === 'cursor') {
      const cursor = readPointer(exchange.data, pointer)
      if ((typeof cursor !== 'string' && typeof cursor !== 'number') || cursor === '') return undefined
      return this.#isNew(exchange, String(cursor)) ? { input: this.#with(input, cursor) } : undefined
    }
    if (items.length === 0) return undefined
    const total = this.#total(exchange)
    if (by === 'page') {
      const page = this.#number(input, first)
      return total !== undefined && page - first + 1 >= total
        ? undefined
        : { input: this.#with(input, page + 1) }
    }
    const offset = this.#number(input, 0) + items.length
    return total !== undefined && offset >= total ? undefined : { input: this.#with(input, offset) }
  }

  #total({ data }: Exchange): number | undefined {
    const { total } = this.#operation.pagination
    const value = total === undefined ? undefined : readPointer(data, total)
    return typeof value === 'number' ? value : undefined
  }

  #number(input: CallInput, fallback: number): number {
    const { parameter = '', in: place = 'query' } = this.#operation.pagination
    const part = input[place] as Readonly<Record<string, unknown>> | undefined
    return Number(part?.[parameter] ?? fallback)
  }

  #with(input: CallInput, value: unknown): CallInput {
    const { parameter = '', in: place = 'query' } = this.#operation.pagination
    return { ...input, [place]: { ...(input[place] as object | undefined), [parameter]: value } }
  }

  /** @throws ContractDriftError if the address has another origin than the service. */
  async #at(current: Next, exchange: Exchange, address: unknown): Promise<Next | undefined> {
    if (typeof address !== 'string' || address === '') return undefined
    const { id } = this.#operation
    const plan = planOf(coreOf(this.#client, id), this.#operation)
    const from = 'path' in current ? current.path : (await compose(plan, current.input, this.#options)).path
    const url = URL.parse(address, plan.origin + from)
    if (url === null || url.origin !== URL.parse(plan.origin)?.origin) {
      const issue = {
        path: this.#operation.pagination.next ?? '',
        reason: 'is not on the origin of the service',
      }
      throw new ContractDriftError(
        `${id}: the URL of the next page is on another origin. The page was not requested, because that origin ` +
          'would receive the credential.',
        [issue],
        exchange.data,
        { operation: id, status: exchange.status },
      )
    }
    // Removes credentials from the URL that the service returned, because the client adds its own credentials.
    for (const { in: place, name } of plan.credentials) if (place === 'query') url.searchParams.delete(name)
    const path = url.pathname + url.search
    return this.#isNew(exchange, path) ? { path } : undefined
  }

  #isNew(exchange: Exchange, cursor: string): boolean {
    if (!this.#seen.has(cursor)) {
      this.#seen.add(cursor)
      return true
    }
    const pointer = this.#operation.pagination.next ?? ''
    this.#report(exchange, pointer, 'points to a page that was already read, so no further pages were read')
    return false
  }

  #report({ status }: Exchange, path: string, reason: string): void {
    this.#client.reportDrift({ operation: this.#operation.id, status, issues: [{ path, reason }] })
  }

  #tooLate(limitMs: number, elapsedMs: number): DeadlineError {
    const { id } = this.#operation
    return new DeadlineError(
      `${id}: not all pages were read within the deadline of ${limitMs} ms.`,
      { limitMs, elapsedMs, sent: 'no' },
      { operation: id },
    )
  }
}

/** Returns a copy of a plan, for a path that already contains its query. */
function planAt(plan: Plan, path: string): Plan {
  const { check: _, ...operation } = plan.operation
  const parameters = operation.parameters.filter(({ in: place }) => place === 'header' || place === 'cookie')
  const literal = path.replaceAll('{', '%7B').replaceAll('}', '%7D')
  return {
    ...plan,
    operation: { ...operation, parameters },
    template: parsePathTemplate('', literal, []),
    queryParameters: [],
  }
}

/**
 * Returns the target of the first link with the given relation in a `Link` header. The target may be a relative URL.
 * Links with an `anchor` parameter are ignored, because they describe another resource. See RFC 8288, section 3.
 */
export function linkTarget(header: string, relation: string): string | undefined {
  let at = 0
  while (at < header.length) {
    const start = header.indexOf('<', at)
    const end = start < 0 ? -1 : header.indexOf('>', start)
    if (end < 0) return undefined
    const { parameters, next } = readParameters(header, end + 1)
    const relations = parameters.get('rel')?.toLowerCase().split(/\s+/) ?? []
    if (relations.includes(relation) && !parameters.has('anchor')) return header.slice(start + 1, end).trim()
    at = next
  }
  return undefined
}

/** Reads the parameters of a link, up to the comma that ends the link. If a name repeats, its first value is used. */
function readParameters(
  header: string,
  from: number,
): { readonly parameters: ReadonlyMap<string, string>; readonly next: number } {
  const parameters = new Map<string, string>()
  let name = ''
  let value = ''
  let hasValue = false
  let isQuoted = false
  let at = from
  const end = (): void => {
    const key = name.trim().toLowerCase()
    if (!parameters.has(key)) parameters.set(key, value)
    name = value = ''
    hasValue = false
  }
  for (; at < header.length; at++) {
    const character = header[at] as string
    if (isQuoted) {
      if (character === '"') isQuoted = false
      else if (character === '\\') value += header[++at] ?? ''
      else value += character
    } else if (character === ',') break
    else if (character === ';') end()
    else if (character === '=' && !hasValue) hasValue = true
    else if (character === '"' && hasValue) isQuoted = true
    else if (hasValue) value += character
    else name += character
  }
  end()
  return { parameters, next: at + 1 }
}
