import type { ItemsDescriptor } from '../core/descriptors.ts'

/** One event of an event stream. WHATWG HTML, section 9.2. @public */
export interface ServerSentEvent {
  /** The name of the event; absent if the service sent no name. */
  readonly event?: string
  /** The event's lines of data, joined by line feeds. */
  readonly data: string
  /** The id of the event; absent if the service sent no id. */
  readonly id?: string
  /** How long to wait before the next connection, in milliseconds. */
  readonly retry?: number
}

/** Splits a body into items as pieces of the body arrive. Keeps at most one unfinished item. */
export interface ItemParser<Raw> {
  /** Returns the items that this piece completes. */
  push(text: string): Iterable<Raw>
  /** Called at the end of the body. Returns the last item, if the format allows an item without a terminator. */
  end(): Iterable<Raw>
}

/** The error for a stream that doesn't follow its format. `reason` completes "The stream ...". */
export class BrokenStream extends Error {
  readonly reason: string
  constructor(reason: string) {
    super(reason)
    this.reason = reason
  }
}

function tooLong(maxLength: number): BrokenStream {
  return new BrokenStream(`has an item of more than ${maxLength} bytes (\`maxResponseBytes\`)`)
}

/** Parses JSON Lines. Lines may end with CR LF, and the last line needs no line end. Skips empty lines. */
class LineParser implements ItemParser<string> {
  readonly #maxLength: number
  #line = ''

  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  *push(text: string): Generator<string> {
    let from = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      yield* this.#take(text.slice(from, end))
      from = end + 1
    }
    this.#line += text.slice(from)
    if (this.#line.length > this.#maxLength) throw tooLong(this.#maxLength)
  }

  *end(): Generator<string> {
    yield* this.#take('')
  }

  *#take(rest: string): Generator<string> {
    const line = this.#line + rest
    this.#line = ''
    if (line.length > this.#maxLength) throw tooLong(this.#maxLength)
    if (line.trim() !== '') yield line
  }
}

const RECORD_SEPARATOR = '\u001E'

/** Parses a JSON text sequence (RFC 7464). Each item begins with a record separator and ends with a line feed. */
class SequenceParser implements ItemParser<string> {
  readonly #maxLength: number
  /** The text since the last separator; `undefined` before the first separator. */
  #text: string | undefined = undefined
  /** Whether the text since the last separator was returned as an item. */
  #isTaken = false
  /** The length of the text when it was last found to be incomplete. */
  #triedLength = 0

  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  *push(text: string): Generator<string> {
    let from = 0
    for (let end = text.indexOf(RECORD_SEPARATOR); end >= 0; end = text.indexOf(RECORD_SEPARATOR, from)) {
      this.#add(text.slice(from, end))
      yield* this.#take()
      this.#text = ''
      this.#isTaken = false
      this.#triedLength = 0
      from = end + 1
    }
    this.#add(text.slice(from))
    if (this.#isWhole()) yield* this.#take()
  }

  *end(): Generator<string> {
    yield* this.#take()
  }

  #add(text: string): void {
    if (this.#text === undefined || this.#isTaken) {
      if (text.trim() !== '') throw new BrokenStream('has text between items, or before the first one')
      return
    }
    this.#text += text
    if (this.#text.length > this.#maxLength) throw tooLong(this.#maxLength)
  }

  /**
   * Returns whether the item is known to be complete. The parser then doesn't wait for the next separator. An item
   * may contain line feeds, so only parsing shows whether it is complete. To avoid quadratic time, parses again only
   * when the length has doubled.
   */
  #isWhole(): boolean {
    const text = this.#text
    if (text === undefined || this.#isTaken || !text.endsWith('\n') || text.length < 2 * this.#triedLength)
      return false
    this.#triedLength = text.length
    try {
      JSON.parse(text)
      return true
    } catch {
      return false
    }
  }

  *#take(): Generator<string> {
    const text = this.#text
    if (text === undefined || this.#isTaken || text.trim() === '') return
    // Without a line feed at its end, a number or a literal such as `true` may be incomplete. RFC 7464, section 2.4.
    if (/^\s*[-\d.a-zA-Z+]+$/.test(text)) throw new BrokenStream('has an item that was cut off')
    this.#isTaken = true
    this.#text = ''
    yield text
  }
}

/** Parses `text/event-stream`. Drops an event that has no empty line after it. WHATWG HTML, section 9.2.6. */
export class EventParser implements ItemParser<ServerSentEvent> {
  readonly #maxLength: number
  #line = ''
  /** Whether the last piece of text ended with CR. An LF at the start of the next piece then belongs to this CR. */
  #afterCr = false
  #event: string | undefined
  #data: string | undefined
  #id: string | undefined
  #retry: number | undefined
  /** The id of the last event that had an id. A new connection continues after that event. */
  lastEventId: string | undefined
  /** How long to wait before connecting again, in milliseconds, if the service has specified a delay. */
  retryMs: number | undefined

  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  *push(text: string): Generator<ServerSentEvent> {
    let from = this.#afterCr && text.startsWith('\n') ? 1 : 0
    if (text !== '') this.#afterCr = false
    for (let end = endOfLine(text, from); end >= 0; end = endOfLine(text, from)) {
      const line = this.#line + text.slice(from, end)
      this.#line = ''
      if (text[end] === '\r') {
        if (text[end + 1] === '\n') end++
        else this.#afterCr = end + 1 === text.length
      }
      from = end + 1
      if (line !== '') this.#field(line)
      else yield* this.#dispatch()
    }
    this.#line += text.slice(from)
    this.#limit(0)
  }

  *end(): Generator<ServerSentEvent> {
    // An event that was cut off is dropped.
  }

  #limit(more: number): void {
    const length = this.#line.length + (this.#data?.length ?? 0) + more
    if (length > this.#maxLength) throw tooLong(this.#maxLength)
  }

  #field(line: string): void {
    this.#limit(line.length)
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (name === 'data') this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`
    else if (name === 'event') this.#event = value
    else if (name === 'id' && !value.includes('\0')) this.#id = value
    else if (name === 'retry' && /^\d+$/.test(value))
      this.retryMs = this.#retry = Math.min(Number(value), Number.MAX_SAFE_INTEGER)
  }

  *#dispatch(): Generator<ServerSentEvent> {
    const [event, data, id, retry] = [this.#event, this.#data, this.#id, this.#retry]
    this.#event = this.#data = this.#id = this.#retry = undefined
    if (id !== undefined) this.lastEventId = id
    if (data === undefined) return
    yield {
      ...(event !== undefined && event !== '' && { event }),
      data,
      ...(id !== undefined && { id }),
      ...(retry !== undefined && { retry }),
    }
  }
}

function endOfLine(text: string, from: number): number {
  END_OF_LINE.lastIndex = from
  return END_OF_LINE.test(text) ? END_OF_LINE.lastIndex - 1 : -1
}

const END_OF_LINE = /[\r\n]/g

export function createParser(
  format: ItemsDescriptor['format'],
  maxLength: number,
): ItemParser<string | ServerSentEvent> {
  if (format === 'sse') return new EventParser(maxLength)
  return format === 'lines' ? new LineParser(maxLength) : new SequenceParser(maxLength)
}
