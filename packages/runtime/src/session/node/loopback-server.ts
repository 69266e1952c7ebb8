import { createHash } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Clock, type RandomSource, systemClock, type Timer } from '../../core/clock.ts'
import { AuthorizationError, OptionsError } from '../../core/errors.ts'
import {
  checkOptionNames,
  clockOption,
  functionOption,
  type OptionNames,
  requiredString,
  signalOption,
} from '../../core/option-checks.ts'

/** The outcome of a code, as {@link LoopbackOptions.accept} returns it. @public */
export type CodeOutcome<T> =
  /** The sign-in is complete. */
  | { readonly kind: 'accepted'; readonly value: T; readonly page?: LoopbackPage }
  /** The service rejected the code. The sign-in continues to wait for another code. */
  | { readonly kind: 'rejected'; readonly page?: LoopbackPage }
  /** The code is not from this sign-in and was not sent to the service, so it doesn't count as rejected. */
  | { readonly kind: 'foreign'; readonly page?: LoopbackPage }

/** Options of {@link startLoopbackSignIn}. @public */
export interface LoopbackOptions<T> {
  /** The query parameter that contains the code. */
  readonly parameter: string
  /** The path of the callback URL. Default: `/callback`. */
  readonly path?: string
  /**
   * Sends a code to the service. Called for one code at a time, and not again for a code that was accepted or
   * rejected. If this function throws, the sign-in ends, and the promise `result` rejects with the same error.
   * `query` is the whole query of the callback URL.
   */
  readonly accept: (code: string, signal: AbortSignal, query: URLSearchParams) => Promise<CodeOutcome<T>>
  /** Ends the sign-in after this time, in milliseconds. */
  readonly limitMs: number
  readonly signal?: AbortSignal
  readonly clock?: Clock
  /** Chooses the port. Default: `Math.random`. */
  readonly random?: RandomSource
}

const NAMES: OptionNames<LoopbackOptions<unknown>> = {
  parameter: true,
  path: true,
  accept: true,
  limitMs: true,
  signal: true,
  clock: true,
  random: true,
}

/** A sign-in that waits for the browser to open the callback URL. @public */
export interface LoopbackSignIn<T> extends AsyncDisposable {
  readonly port: number
  /**
   * Resolves to the `value` that `accept` returned. Rejects with AuthorizationError at the time limit or after
   * `close`. On abort, rejects with the signal's own reason. If `accept` throws, rejects with the same error. The
   * server is closed before this promise settles.
   */
  readonly result: Promise<T>
  /** Ends the sign-in, if it has not ended yet. */
  close(): Promise<void>
}

const FIRST_PORT = 49_152
const LAST_PORT = 65_535
const PORTS_TRIED = 32
/** The maximum number of codes that are in progress or waiting. A person doesn't send more. */
const MAX_QUEUE = 4
/**
 * After the service has rejected this many codes within a minute, no code is sent to the service until the oldest
 * rejection is a minute old. Without this limit, any page could use up the service's rate limit with forged codes.
 */
const MAX_REJECTED_PER_MINUTE = 5
const MAX_CONNECTIONS = 64
/** How long a connection may take to send its request, in milliseconds. */
const REQUEST_TIMEOUT_MS = 5_000

const WAITING: LoopbackPage = {
  title: 'The sign-in is not complete',
  text: 'This request does not complete the sign-in. The program is still waiting.',
}
const REJECTED: LoopbackPage = {
  title: 'The sign-in did not work',
  text: 'The service did not accept the code. Sign in again on the sign-in page; the program is still waiting.',
}
const TOO_MANY: LoopbackPage = {
  title: 'Too many sign-ins at once',
  text: 'Several codes were rejected in the last minute, so this code was not tried. Wait a minute, then sign in again on the sign-in page; the program is still waiting.',
}
const FAILED: LoopbackPage = {
  title: 'The sign-in did not work',
  text: 'The program could not complete the sign-in. You can close this page. The program itself reports the reason.',
}
const ACCEPTED: LoopbackPage = {
  title: 'You are signed in',
  text: 'You can close this page and go back to the program.',
}

/**
 * Waits on this machine for the code that a browser sends after a sign-in.
 *
 * Listens on a port from 49152 to 65535, on 127.0.0.1 and, if available, on ::1, because `localhost` can mean either
 * address. Only a person's navigation to the callback URL counts; every other request is rejected and changes
 * nothing. A code that the service rejects does not end the sign-in. The sign-in ends after success, at the time
 * limit, on abort, after `close`, and when `accept` throws. The server then closes.
 *
 * @throws OptionsError if an option is missing, unknown or invalid, or no port is free; on abort the signal's own reason.
 * @public
 */
export async function startLoopbackSignIn<T>(options: LoopbackOptions<T>): Promise<LoopbackSignIn<T>> {
  checkOptions(options)
  options.signal?.throwIfAborted()
  const signIn = new SignIn(options)
  await signIn.listen(options.random ?? Math.random)
  return signIn
}

function checkOptions(options: LoopbackOptions<unknown>): void {
  checkOptionNames(options, NAMES, 'options')
  const { parameter, path, accept, limitMs, signal, clock, random } = options
  requiredString(parameter, 'parameter', 'Pass the name of the query parameter that contains the code.')
  if (path !== undefined && !(typeof path === 'string' && /^\/[^?#]*$/.test(path)))
    throw new OptionsError(
      'path',
      'must begin with `/`, and must not contain `?` or `#`.',
      'Pass a path such as /callback.',
    )
  if (typeof accept !== 'function')
    throw new OptionsError(
      'accept',
      'must be a function.',
      'Pass a function that sends the code to the service.',
    )
  if (!(Number.isFinite(limitMs) && limitMs > 0))
    throw new OptionsError(
      'limitMs',
      limitMs === undefined ? '`limitMs` is missing.' : '`limitMs` must be a finite number above 0.',
      'Pass a time in milliseconds, such as 300000.',
    )
  signalOption(signal)
  clockOption(clock)
  functionOption(random, 'random')
}

class SignIn<T> implements LoopbackSignIn<T> {
  readonly result: Promise<T>
  port = 0
  readonly #options: LoopbackOptions<T>
  readonly #path: string
  readonly #settle = Promise.withResolvers<T>()
  readonly #ending = new AbortController()
  /** The outcome of each code. A code is sent to the service once, even if a browser repeats the request. */
  readonly #seen = new Map<string, Promise<CodeOutcome<T>>>()
  #servers: readonly Server[] = []
  #queued = 0
  /** The times of recent rejections, on the monotonic clock. */
  #rejectedAtMs: number[] = []
  #accepted = false
  #last: Promise<unknown> = Promise.resolve()
  #timer: Timer | undefined
  #closing: Promise<void> | undefined
  readonly #onAbort = (): void => void this.#end(() => this.#settle.reject(this.#options.signal?.reason))

  constructor(options: LoopbackOptions<T>) {
    this.#options = options
    this.#path = options.path ?? '/callback'
    this.result = this.#settle.promise
    // The result may reject before a caller awaits it.
    this.result.catch(() => {})
  }

  async listen(random: RandomSource): Promise<void> {
    const { clock = systemClock, limitMs, signal } = this.#options
    for (let tries = 1; this.#servers.length === 0; tries++) {
      this.port = FIRST_PORT + Math.floor(random() * (LAST_PORT - FIRST_PORT + 1))
      this.#servers = await listenOn(this.port, (request, response) => void this.#respond(request, response))
      if (this.#servers.length === 0 && tries === PORTS_TRIED) throw noPort()
    }
    this.#timer = clock.setTimer(() => void this.#end(() => this.#settle.reject(tooLate(limitMs))), limitMs)
    signal?.addEventListener('abort', this.#onAbort)
    if (signal?.aborted === true) this.#onAbort()
  }

  close(): Promise<void> {
    return this.#end(() =>
      this.#settle.reject(
        new AuthorizationError('authorization-failed', 'The sign-in was closed before it was complete.'),
      ),
    )
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined)
    const callback = readCallback(request, {
      port: this.port,
      path: this.#path,
      parameter: this.#options.parameter,
    })
    if (!('code' in callback)) {
      if (callback.allow !== undefined) response.setHeader('allow', callback.allow)
      return sendPage(response, callback.status, WAITING)
    }
    const { code, query } = callback
    const known = this.#seen.get(code)
    if (known === undefined && (this.#queued >= MAX_QUEUE || this.#ending.signal.aborted)) {
      return sendPage(response, 503, WAITING)
    }
    if (known === undefined && this.#hasRejectedTooMany()) {
      response.setHeader('retry-after', '60')
      return sendPage(response, 503, TOO_MANY)
    }
    try {
      const outcome = await (known ?? this.#take(code, query))
      if (outcome.kind !== 'accepted') return await sendPage(response, 400, outcome.page ?? REJECTED)
      await sendPage(response, 200, outcome.page ?? ACCEPTED)
      await this.#end(() => this.#settle.resolve(outcome.value))
    } catch (error) {
      await sendPage(response, 502, FAILED)
      await this.#end(() => this.#settle.reject(error))
    }
  }

  #hasRejectedTooMany(): boolean {
    const nowMs = (this.#options.clock ?? systemClock).monotonic()
    this.#rejectedAtMs = this.#rejectedAtMs.filter((time) => time > nowMs - 60_000)
    return this.#rejectedAtMs.length + this.#queued >= MAX_REJECTED_PER_MINUTE
  }

  /** Sends one code at a time. Once the service has accepted a code, the remaining codes aren't sent. */
  #take(code: string, query: URLSearchParams): Promise<CodeOutcome<T>> {
    this.#queued++
    const outcome = this.#last
      .then(async (): Promise<CodeOutcome<T>> => {
        if (this.#accepted) return { kind: 'rejected' }
        this.#ending.signal.throwIfAborted()
        const outcome = await this.#options.accept(code, this.#ending.signal, query)
        this.#accepted = outcome.kind === 'accepted'
        if (outcome.kind === 'rejected')
          this.#rejectedAtMs.push((this.#options.clock ?? systemClock).monotonic())
        if (outcome.kind === 'foreign') this.#seen.delete(code)
        return outcome
      })
      .finally(() => this.#queued--)
    this.#last = outcome.catch(() => undefined)
    this.#seen.set(code, outcome)
    return outcome
  }

  #end(settle: () => void): Promise<void> {
    this.#closing ??= (async () => {
      this.#timer?.cancel()
      this.#options.signal?.removeEventListener('abort', this.#onAbort)
      this.#ending.abort(this.#options.signal?.reason)
      await Promise.all(this.#servers.map(closeServer))
      settle()
    })()
    return this.#closing
  }
}

/** Listens on both loopback addresses. Returns an empty list if the port is taken on either address. */
async function listenOn(
  port: number,
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<readonly Server[]> {
  // An `import` would read every export of `node:http`, and that would load Node's own copy of undici.
  const { createServer } = process.getBuiltinModule('node:http')
  const servers: Server[] = []
  let failure: unknown
  for (const host of ['127.0.0.1', '::1']) {
    const server = createServer(
      {
        requestTimeout: REQUEST_TIMEOUT_MS,
        headersTimeout: REQUEST_TIMEOUT_MS,
        connectionsCheckingInterval: 1_000,
        keepAlive: false,
      },
      onRequest,
    )
    makeRoom(server)
    server.on('clientError', (_error, socket) => socket.destroy())
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen({ port, host, exclusive: true, ipv6Only: true }, resolve)
      })
      server.on('error', () => undefined)
      servers.push(server)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // Some machines lack one of the address families.
      if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') {
        failure = error
        continue
      }
      await Promise.all(servers.map(closeServer))
      if (code === 'EADDRINUSE' || code === 'EACCES') return []
      throw error
    }
  }
  if (servers.length === 0) throw failure
  return servers
}

/** Limits the number of connections, so that idle connections can't keep the browser out. */
function makeRoom(server: Server): void {
  const waiting = new Set<Socket>()
  let open = 0
  server.on('connection', (socket) => {
    open++
    waiting.add(socket)
    socket.on('close', () => {
      open--
      waiting.delete(socket)
    })
    const [oldest] = waiting
    if (open > MAX_CONNECTIONS) oldest?.destroy()
  })
  server.on('request', ({ socket }) => waiting.delete(socket))
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

function tooLate(limitMs: number): AuthorizationError {
  return new AuthorizationError(
    'authorization-expired',
    `The sign-in was not finished in the browser within ${limitMs / 1000} s. Start the sign-in again.`,
  )
}

function noPort(): OptionsError {
  return new OptionsError(
    'random',
    `No free port was found between ${FIRST_PORT} and ${LAST_PORT} in ${PORTS_TRIED} tries.`,
    'Check which programs are using these ports, or sign in another way.',
  )
}

/** The code and the query of a callback; for any other request, the HTTP status to respond with. */
type Callback =
  | { readonly code: string; readonly query: URLSearchParams }
  | { readonly status: number; readonly allow?: string }

const MAX_CODE_LENGTH = 4096

/**
 * Accepts only the navigation of a person's browser to the callback URL, and no request that another page causes by a
 * script, an image, a frame or a prefetch. The Host header is checked because an attacker's host name can point to
 * this machine (DNS rebinding).
 */
function readCallback(
  request: IncomingMessage,
  expected: { readonly port: number; readonly path: string; readonly parameter: string },
): Callback {
  const { method, headers, url = '' } = request
  const { port, path, parameter } = expected
  const hosts = [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`]
  // A request must have exactly one Host header (RFC 9112, section 3.2). `headers` contains only the first.
  if (request.headersDistinct.host?.length !== 1) return { status: 400 }
  if (!hosts.includes(headers.host?.toLowerCase() ?? '')) return { status: 421 }
  if (!url.startsWith('/')) return { status: 400 }
  const queryAt = url.indexOf('?')
  if ((queryAt < 0 ? url : url.slice(0, queryAt)) !== path) return { status: 404 }
  if (method !== 'GET') return { status: 405, allow: 'GET' }
  if (!isNavigation(headers)) return { status: 403 }
  const query = new URLSearchParams(queryAt < 0 ? '' : url.slice(queryAt + 1))
  const codes = query.getAll(parameter)
  const [code] = codes
  if (codes.length !== 1 || code === undefined || code === '' || code.length > MAX_CODE_LENGTH)
    return { status: 400 }
  return { code, query }
}

function isNavigation(headers: IncomingMessage['headers']): boolean {
  const is = (name: string, ...values: readonly string[]): boolean => {
    const value = headers[name]
    return value === undefined || (typeof value === 'string' && values.includes(value.toLowerCase()))
  }
  return (
    is('sec-fetch-mode', 'navigate') &&
    is('sec-fetch-dest', 'document') &&
    // If the browser sends no `Sec-Fetch-` headers, an Origin header shows that the request is not a navigation.
    (headers['sec-fetch-mode'] !== undefined || headers['origin'] === undefined) &&
    headers['sec-purpose'] === undefined &&
    headers['purpose'] === undefined
  )
}

/** A page that tells a person what happened. Both strings are shown as plain text. @public */
export interface LoopbackPage {
  readonly title: string
  readonly text: string
}

const STYLE =
  ':root{color-scheme:light dark}body{font:1.125rem/1.5 system-ui,sans-serif;max-width:36rem;margin:15vh auto;padding:0 1.5rem}'
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  connection: 'close',
} as const

/** Resolves when the connection has closed: the page was sent, or the browser disconnected. */
function sendPage(response: ServerResponse, status: number, page: LoopbackPage): Promise<void> {
  return new Promise((resolve) => {
    const { socket } = response
    if (socket === null || socket.destroyed) return resolve()
    socket.on('close', () => resolve())
    const body = render(page)
    response.writeHead(status, { ...HEADERS, 'content-length': Buffer.byteLength(body) })
    response.end(body)
  })
}

function render({ title, text }: LoopbackPage): string {
  return (
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n' +
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n' +
    `<title>${escape(title)}</title>\n<style>${STYLE}</style>\n</head>\n<body>\n<main>\n` +
    `<h1>${escape(title)}</h1>\n<p>${escape(text)}</p>\n</main>\n</body>\n</html>\n`
  )
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
