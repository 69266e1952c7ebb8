import { bounded } from '../core/async.ts'
import { ConnectionError, OptionsError, UnexpectedContentError } from '../core/errors.ts'
import { numberOption } from '../core/option-checks.ts'
import { hasTooManyContainers } from '../core/json.ts'
import type { ItemsDescriptor } from '../core/descriptors.ts'
import { isTransient, repeat, type Retried } from '../retry/retry.ts'
import { withoutBody } from './buffered-response.ts'
import { discard, bodyStream } from './stream.ts'
import type { CallInput, CallOptions } from './call-options.ts'
import { deadlineOver, type Opened, type ResponseMode } from './call.ts'
import { coreRetry } from './client-retry.ts'
import { isExpected, mediaType } from './decode.ts'
import { checkResponse } from './drift.ts'
import {
  BrokenStream,
  createParser,
  EventParser,
  type ItemParser,
  type ServerSentEvent,
} from './item-parsers.ts'
import { headerProblem } from './headers.ts'
import { perform } from './pipeline.ts'
import { responsePlan, isSuccess, type Plan } from './prepare.ts'
import { type Exchange, headerValues, readRequestId, ResponseDetails } from './response.ts'
import { headerValue } from './transport.ts'

/**
 * A response whose items arrive one by one. Each item is validated like a response body. Read the stream once, with
 * `for await`. Leaving the loop cancels the request.
 *
 * @public
 */
export interface ItemStream<Item> extends AsyncIterableIterator<Item, undefined>, AsyncDisposable {
  /** The id of the last event, for event streams whose events have ids. */
  readonly lastEventId: string | undefined
  /** Cancels the request, and ends a pending read. */
  return(): Promise<IteratorResult<Item, undefined>>
  [Symbol.asyncIterator](): ItemStream<Item>
}

/** Options of a call that returns an {@link ItemStream}. @public */
export interface ItemStreamOptions extends CallOptions {
  /**
   * How long the service may be silent, in milliseconds. Default: `timeoutMs`. Only `deadline` limits the whole stream.
   */
  readonly idleTimeoutMs?: number
  /**
   * Whether to reconnect with `Last-Event-ID` when the connection ends or is lost. Only for event streams of
   * operations that may be repeated. Default: false.
   *
   * Before it reconnects, the client waits as long as the service asks. A 204 response ends the stream. During an
   * outage, the client retries with growing delays until the `deadline`. To stop earlier, abort the `signal` or call
   * `return()` on the stream.
   */
  readonly reconnect?: boolean
}

/** Calls an operation that responds with a stream of items. Returns the stream as soon as the headers arrive. */
export async function openItems(
  plan: Plan,
  input: CallInput | undefined,
  { idleTimeoutMs, reconnect, ...options }: ItemStreamOptions = {},
  responseMode: ResponseMode = 'data',
): Promise<unknown> {
  const { core, operation } = plan
  numberOption(idleTimeoutMs, 'idleTimeoutMs', core.timeoutMs, { min: 1 })
  if (reconnect !== undefined && typeof reconnect !== 'boolean')
    throw new OptionsError('reconnect', 'must be a boolean.', 'Pass true or false, or omit the option.')
  if (reconnect === true && !canReconnect(plan))
    throw new OptionsError(
      'reconnect',
      `\`${operation.id}\` can't reconnect, because ${operation.retry.class === 'safe' ? 'its response is not an event stream' : 'repeating the call may not be safe'}.`,
      'Omit `reconnect`. If repeating the call is harmless, repeat it yourself.',
    )
  const request = { plan, input, options, idleTimeoutMs, reconnect: reconnect === true }
  const opened = await connect(request)
  if (!(opened instanceof Connected)) return responseMode === 'data' ? (opened as Exchange).data : opened
  const items = new Items(opened, request)
  return responseMode === 'data' ? items : new ItemsExchange(opened.opened, items)
}

function canReconnect({ operation }: Plan): boolean {
  const isEvents = Object.values(operation.responses).some(({ items }) => items?.format === 'sse')
  return operation.retry.class === 'safe' && isEvents
}

/** A response whose items can be read. */
class Connected {
  readonly opened: Opened
  readonly items: ItemsDescriptor
  readonly body: ReadableStreamDefaultReader<Uint8Array>
  /** Whether the headers were validated, which happens with the first item. */
  isChecked = false

  constructor(opened: Opened, items: ItemsDescriptor, idleTimeoutMs: number) {
    const { core, attempt, operation } = opened.call
    this.opened = opened
    this.items = items
    const limits = { core, attempt, operation: operation.id, timeoutMs: idleTimeoutMs }
    this.body = bodyStream(opened.response, limits).getReader()
  }

  close(): void {
    discard(this.opened.call)
    this.body.cancel().catch(() => undefined)
  }
}

/**
 * Sends the request. Returns a `Connected` for a stream of items, and the exchange for any other response. Returns
 * `NO_MORE` if the service answers a reconnection with the status 204.
 */
function connect({ plan, input, options, idleTimeoutMs }: Request, isAgain = false): Promise<unknown> {
  return perform(plan, input, options, (opened) => {
    const { call, response } = opened
    if (!isSuccess(response.status)) return undefined
    if (response.status === NO_MORE && isAgain) {
      discard(call)
      return NO_MORE
    }
    const { descriptor } = responsePlan(call.plan, response.status)
    const { items } = descriptor
    if (items === undefined || response.status === NO_MORE) return undefined
    const actual = headerValue(response.headers, 'content-type')
    if (!isExpected(actual, descriptor) && !isSameFormat(actual, items)) return undefined
    return new Connected(opened, items, idleTimeoutMs ?? call.timeoutMs)
  })
}

/** The status that tells a client not to reconnect. WHATWG HTML, section 9.2.3. */
const NO_MORE = 204

/** Unregistered media types that services use for JSON Lines. */
const LINES = /^application\/(?:x-)?(?:ndjson|jsonl|jsonlines|json-lines|json-stream)$/

function isSameFormat(contentType: string | undefined, { format }: ItemsDescriptor): boolean {
  return format === 'lines' && LINES.test(mediaType(contentType))
}

/** The request of an item stream, kept so that it can be sent again. */
interface Request {
  readonly plan: Plan
  readonly input: CallInput | undefined
  readonly options: CallOptions
  readonly idleTimeoutMs: number | undefined
  readonly reconnect: boolean
}

const LAST_EVENT_ID = 'last-event-id'
/** The maximum length of an event id to send. Many servers reject longer headers. */
const MAX_ID_LENGTH = 8_192

/** The delay before reconnecting, unless the service asks for a different delay. */
const RECONNECT_MS = 3_000
const MAX_RECONNECT_MS = 60_000

class Items implements ItemStream<unknown> {
  readonly #items: AsyncGenerator<unknown, undefined>
  readonly #request: Request
  #connected: Connected
  #isClosed = false
  #lastEventId: string | undefined
  /** Ends the wait for the next connection when the stream is closed. */
  readonly #closing = new AbortController()
  /** The first response, whose call has the deadline of the whole stream. */
  readonly #first: Opened
  /** How many connections have ended or failed since the last item. */
  #failures = 0
  /** The reconnection delay that the service asked for, if any. */
  #retryMs: number | undefined

  constructor(connected: Connected, request: Request) {
    this.#connected = connected
    this.#first = connected.opened
    this.#request = request
    this.#items = this.#read()
  }

  get lastEventId(): string | undefined {
    return this.#lastEventId
  }

  next(): Promise<IteratorResult<unknown, undefined>> {
    return this.#items.next()
  }

  async return(): Promise<IteratorResult<unknown, undefined>> {
    if (!this.#isClosed) {
      this.#isClosed = true
      this.#closing.abort()
      this.#connected.close()
    }
    await this.#items.return(undefined)
    return { done: true, value: undefined }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async *#read(): AsyncGenerator<unknown, undefined> {
    try {
      for (;;) {
        const { items, opened } = this.#connected
        const parser = createParser(items.format, opened.call.core.maxResponseBytes)
        if (parser instanceof EventParser) parser.lastEventId = this.#lastEventId
        let loss: unknown
        try {
          for await (const item of this.#itemsOf(this.#connected, parser)) {
            this.#failures = 0
            yield item
          }
        } catch (error) {
          if (!this.#mayReconnect() || !isTransient(error, 'connect')) throw error
          loss = error
        }
        if (parser instanceof EventParser) this.#retryMs = parser.retryMs ?? this.#retryMs
        if (!this.#mayReconnect()) return undefined
        if (!(await this.#replace(loss ?? ended(opened)))) return undefined
      }
    } catch (error) {
      if (this.#isClosed) return undefined
      throw error
    } finally {
      this.#connected.close()
    }
  }

  #mayReconnect(): boolean {
    return this.#request.reconnect && !this.#isClosed && !this.#isDone
  }

  #isDone = false

  /**
   * Opens the next connection, with growing delays between failed attempts. Returns false if the service has
   * nothing left to send.
   *
   * @param loss The error that ended the last connection. It counts as a failed attempt, so the client also waits
   * before its first attempt to reconnect.
   */
  async #replace(loss: unknown): Promise<boolean> {
    const { plan } = this.#request
    const { core } = plan
    const { call } = this.#first
    const minDelayMs = (this.#retryMs ?? RECONNECT_MS) * (1 + core.random() / 10)
    const isFruitless = (): boolean => job.failures! > 1
    const job: Retried<boolean> = {
      ...coreRetry(core, plan.operation.id),
      signals: [...call.callerSignals, core.closing.signal, this.#closing.signal],
      failures: this.#failures,
      minDelayMs,
      // The delays grow only if a reconnection fails or delivers no items. Otherwise, `minDelayMs` applies.
      get backoff() {
        return {
          baseMs: isFruitless() ? Math.max(minDelayMs, core.backoff.baseMs) : minDelayMs,
          capMs: MAX_RECONNECT_MS,
        }
      },
      maxAttempts: undefined,
      maxRetryAfterMs: undefined,
      endsAtMs: call.endsAtMs,
      // The client's retry budget is only for calls. The delays and the deadline limit the reconnections.
      budget: undefined,
      attempt: () => this.#reopen(),
      again: (error) => error === loss || isTransient(error, 'connect'),
      lastError: (error) =>
        error === loss && call.deadlineMs !== undefined
          ? deadlineOver(plan.operation.id, call, core.clock, 'yes')
          : error,
    }
    const isOpen = await repeat(job, loss)
    this.#failures = job.failures ?? 0
    return isOpen
  }

  async #reopen(): Promise<boolean> {
    const { plan, options } = this.#request
    const { extra = {} } = options
    const { call } = this.#first
    const deadline = call.endsAtMs - plan.core.clock.monotonic()
    const next = await connect(
      {
        ...this.#request,
        options: {
          ...options,
          signal: AbortSignal.any([...call.callerSignals, this.#closing.signal]),
          maxAttempts: 1,
          ...(deadline !== Infinity && { deadline }),
          extra: { ...extra, headers: { ...extra.headers, ...this.#resumeHeaders() } },
        },
      },
      true,
    )
    if (!(next instanceof Connected)) return false
    this.#connected = next
    return true
  }

  /** @throws UnexpectedContentError if the service's event id can't be sent back to the service. */
  #resumeHeaders(): Readonly<Record<string, string>> {
    const id = this.#lastEventId ?? ''
    if (id === '') return {}
    if (id.length <= MAX_ID_LENGTH) {
      // The id is sent in UTF-8 (WHATWG HTML, section 9.2.3). The header string has one character for each byte.
      const value = String.fromCharCode(...new TextEncoder().encode(id))
      if (headerProblem(LAST_EVENT_ID, value) === undefined) return { [LAST_EVENT_ID]: value }
    }
    throw unreadable(this.#first, 'has an event id that cannot be sent in the `Last-Event-ID` header')
  }

  async *#itemsOf(
    connected: Connected,
    parser: ItemParser<string | ServerSentEvent>,
  ): AsyncGenerator<unknown> {
    const { opened, items } = connected
    // JSON Lines and JSON sequences must be valid UTF-8. In an event stream, invalid bytes are replaced.
    const decoder = new TextDecoder('utf-8', { fatal: items.format !== 'sse' })
    try {
      for (let isOver = false; !isOver;) {
        const { done, value } = await this.#next(connected)
        isOver = done
        const text = decoded(decoder, value)
        const raws = isOver ? [...parser.push(text), ...parser.end()] : parser.push(text)
        for (const raw of raws) {
          if (parser instanceof EventParser) this.#lastEventId = parser.lastEventId
          const data = typeof raw === 'string' ? raw : raw.data
          // By convention, services end a stream with `[DONE]`. It isn't JSON, so it can't be an item.
          if (data === '[DONE]' && isJson(items)) {
            this.#isDone = true
            return
          }
          const item = valueOf(raw, items)
          await checked(opened, item, connected.isChecked)
          connected.isChecked = true
          yield item
        }
        if (parser instanceof EventParser) this.#lastEventId = parser.lastEventId
      }
    } catch (error) {
      throw error instanceof BrokenStream ? unreadable(opened, error.reason) : error
    }
  }

  async #next({ body }: Connected): Promise<{ done: boolean; value?: Uint8Array | undefined }> {
    const reading = body.read()
    const { call } = this.#first
    const { clock } = call.core
    const ms = call.endsAtMs - clock.monotonic()
    const error = () => deadlineOver(call.operation.id, call, clock, 'yes')
    return bounded(reading, { limit: { clock, ms, error } })
  }
}

function ended({ call: { operation } }: Opened): ConnectionError {
  return new ConnectionError(
    `${operation.id}: the service ended the stream.`,
    { phase: 'receive', sent: 'yes' },
    { operation: operation.id },
  )
}

function isJson({ format, item = 'json' }: ItemsDescriptor): boolean {
  return format !== 'sse' || item === 'json' || item === 'json-event'
}

function decoded(decoder: TextDecoder, value: Uint8Array | undefined): string {
  try {
    return value === undefined ? decoder.decode() : decoder.decode(value, { stream: true })
  } catch {
    throw new BrokenStream('is not text in UTF-8')
  }
}

function valueOf(raw: string | ServerSentEvent, items: ItemsDescriptor): unknown {
  if (typeof raw === 'string') return parsed(raw)
  const { item = 'json' } = items
  if (item === 'event') return raw
  if (item === 'json-event') return { ...raw, data: parsed(raw.data) }
  return item === 'json' ? parsed(raw.data) : raw.data
}

function parsed(text: string): unknown {
  if (hasTooManyContainers(text)) throw new BrokenStream('has an item with too many objects and arrays')
  try {
    return JSON.parse(text)
  } catch {
    throw new BrokenStream('has an item that is not valid JSON')
  }
}

/** Validates an item as if it were a response body. @throws ContractDriftError under `validate: 'enforce'`. */
async function checked({ call, response }: Opened, data: unknown, isItem: boolean): Promise<void> {
  const { validate: mode } = call.settings
  if (mode !== 'off') await checkResponse(call, { response, data, mode, isItem })
}

/** The error doesn't quote items, because they may be secret. */
function unreadable({ call, response }: Opened, reason: string): UnexpectedContentError {
  const { id } = call.operation
  const [head, content] = withoutBody(response)
  return new UnexpectedContentError(
    `${id}: the stream ${reason}. The stream was closed. Earlier items are not affected.`,
    { ...head, requestId: readRequestId(call.core, response), attempts: call.sends },
    content,
    { operation: id },
  )
}

class ItemsExchange extends ResponseDetails implements Exchange<ItemStream<unknown>> {
  readonly data: ItemStream<unknown>
  readonly #opened: Opened

  constructor(opened: Opened, data: ItemStream<unknown>) {
    super(opened.call, opened.response)
    this.#opened = opened
    this.data = data
  }

  get headerValues(): unknown {
    return headerValues(this.#opened.call.plan, this.#opened.response)
  }

  text(): never {
    throw asStream()
  }

  bytes(): never {
    throw asStream()
  }
}

function asStream(): TypeError {
  return new TypeError(
    'The response is a stream of items, so its body is not kept. Read the items from `data`.',
  )
}
