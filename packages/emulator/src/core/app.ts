import type { ControlledClock } from './controlled-clock.ts'
import {
  ConnectionBrokenError,
  EmulatorError,
  HandlerMismatchError,
  ResponseRefusedError,
  type Mismatch,
} from './errors.ts'
import { applyAfter, applyBefore } from './fault-effects.ts'
import { authenticate, readCredentials } from './credentials.ts'
import { REQUEST_FAULTS, type Faults } from './faults.ts'
import type { Journal, RequestRecord } from './journal.ts'
import type { Log } from './log.ts'
import type { Answerer } from './node-server.ts'
import { oracleOf, mediaEssence, type Oracle } from './oracle.ts'
import { encodeReply, type Reply } from './reply.ts'
import { readBody } from './request-body.ts'
import { createRouter } from './router.ts'
import type { Page, Service } from './service.ts'
import { createSocketApp } from './socket-app.ts'
import type { Operation } from './specification.ts'

/** What an app works with. */
export interface AppTools {
  clock: ControlledClock
  random: () => number
  faults: Faults
  journal: Journal
  log: Log
  /**
   * What the paths under each address start with, for instance `{ baseUrl: '/tenant' }`; a text is that of `baseUrl`.
   */
  basePath: string | Readonly<Record<string, string>>
  /** Ends what a fault made to hang. */
  closing: AbortSignal
}

/** One service, answering requests. */
export interface App extends Answerer {
  oracle: Oracle
}

/** A request on its way to what it is for. */
interface Arrival {
  request: Request
  url: URL
  /** Where the emulator was reached. */
  addresses: Readonly<Record<string, string>>
  remoteAddress: string
  parameters: Readonly<Record<string, string>>
  record: RequestRecord
}

/** What is to be sent, and to whom. */
interface Answer<Caller> {
  reply: Reply
  caller?: Caller
}

type Target = { method: string; path: string; address: string } & ({ operation: Operation } | { page: Page })

/** What stands for the address of a caller in the same process. */
const IN_PROCESS = '127.0.0.1'
const MAX_PAGE_BODY_BYTES = 64 * 1024

/**
 * Puts a service together.
 *
 * @throws HandlerMismatchError where its handlers are not exactly the operations of its contract.
 */
export function createApp<Caller>(service: Service<Caller>, tools: AppTools): App {
  checkHandlers(service)
  const { clock, journal, log, faults, closing } = tools
  const prefixes = typeof tools.basePath === 'string' ? { baseUrl: tools.basePath } : tools.basePath
  const [firstAddress = 'baseUrl'] = Object.keys(prefixes)
  const oracle = oracleOf(service.specification)
  const route = createRouter<Target>([
    ...service.specification.operations.map((operation) =>
      under(operation.address, { ...operation, operation }),
    ),
    ...service.pages.map((page) => under(page.address ?? firstAddress, { ...page, page })),
  ])

  function under<T extends { path: string }>(address: string, target: T): T & { address: string } {
    const prefix = Object.hasOwn(prefixes, address) ? prefixes[address] : undefined
    if (prefix === undefined)
      throw new HandlerMismatchError(
        `${target.path} of ${service.name} stands under ${address}, which the emulator does not serve.`,
      )
    return { ...target, address, path: prefix + target.path }
  }

  async function dispatch(request: Request, remoteAddress: string): Promise<Response> {
    request.signal.throwIfAborted()
    const url = new URL(request.url)
    const { pathname } = url
    const record = journal.request({
      at: clock.now(),
      method: request.method,
      path: pathname,
      faults: [],
      mismatches: [],
    })
    const match = route(request.method, pathname)
    if (!match.found) {
      const { allowedMethods } = match
      const kind = allowedMethods.length > 0 ? 'method-unknown' : 'route-unknown'
      return send({ reply: service.refuse({ kind, allowedMethods }) }, record)
    }
    const target = match.found
    const addresses = Object.fromEntries(
      Object.entries(prefixes).map(([name, prefix]) => [name, url.origin + prefix]),
    )
    const arrival = { request, url, addresses, remoteAddress, parameters: match.parameters, record }
    if ('page' in target) return withFaults(target.page.name, arrival, () => answerPage(target.page, arrival))
    record.operationId = target.operation.operationId
    return withFaults(record.operationId, arrival, () => answerOperation(target.operation, arrival))
  }

  /** Answers a request, with the faults that were asked for. Work that waits for the clock is not tracked. */
  async function withFaults(
    name: string,
    { request, record }: Arrival,
    work: () => Promise<Answer<Caller>>,
  ): Promise<Response> {
    const drawn = faults.draw(name, REQUEST_FAULTS)
    record.faults.push(...drawn.map((fault) => fault.kind))
    const signal = drawn.length > 0 ? AbortSignal.any([request.signal, closing]) : request.signal
    const environment = { clock, random: tools.random, signal }
    const early = await applyBefore(drawn, environment)
    const answer = early ? { reply: early } : await clock.track(work())
    request.signal.throwIfAborted()
    const response = send(answer, record)
    return early ? response : applyAfter(drawn, response, environment)
  }

  async function answerOperation(operation: Operation, arrival: Arrival): Promise<Answer<Caller>> {
    const { request, url, remoteAddress } = arrival
    const sender = { remoteAddress, headers: request.headers }
    const credentials = readCredentials(operation.security, request.headers, url)
    const caller = authenticate(credentials, service)
    const known = caller === undefined ? {} : { caller }
    const reply =
      operation.security.length > 0 && !caller
        ? service.refuse({ kind: credentials.length > 0 ? 'key-invalid' : 'key-missing', ...sender })
        : (service.admit(operation, caller, sender) ?? (await handle(operation, arrival, known)))
    judgeResponse(operation, reply)
    return { reply, ...known }
  }

  async function handle(
    operation: Operation,
    { request, url, addresses, remoteAddress, parameters, record }: Arrival,
    known: { caller?: Caller },
  ): Promise<Reply> {
    const handler = service.handlers[operation.operationId]
    if (!handler) throw new HandlerMismatchError(`There is no handler for ${operation.operationId}.`)
    const body = await readBody(request, service.bodyLimitBytes(operation, known.caller))
    if (body.kind === 'too-large')
      return service.refuse({ kind: 'body-too-large', operation, limitBytes: body.limitBytes, ...known })
    const query = url.searchParams
    const mismatches = oracle
      .request(operation, { parameters, query, headers: request.headers, body })
      .filter((mismatch) => !service.tolerates(mismatch, operation))
    if (mismatches.length > 0) noteRequest(operation, mismatches, record)
    const { headers } = request
    const baseUrl = addresses[operation.address] ?? url.origin
    const call = { operation, baseUrl, addresses, remoteAddress, parameters, query, headers, body, ...known }
    const checked = handler.check?.(call)
    if (checked) return checked
    return mismatches.length > 0
      ? service.refuse({ kind: 'request-refused', operation, mismatches })
      : handler.handle(call)
  }

  function noteRequest(operation: Operation, mismatches: readonly Mismatch[], record: RequestRecord): void {
    const { operationId } = operation
    record.mismatches = mismatches
    journal.violation({ at: clock.now(), direction: 'request', operationId, mismatches })
    const list = mismatches.map(({ path, reason }) => `${path} ${reason}`).join('; ')
    log('warn', `${service.name}: the contract refuses a request for ${operationId}: ${list}`)
  }

  function judgeResponse(operation: Operation, reply: Reply): void {
    const { headers, bytes } = encodeReply(reply)
    const contentType = headers.get('content-type') ?? ''
    const isJson = mediaEssence(contentType) === 'application/json'
    const json = isJson ? (JSON.parse(new TextDecoder().decode(bytes)) as unknown) : undefined
    const mismatches = oracle
      .response(operation, {
        status: reply.status,
        contentType,
        json,
        ...(reply.rateMeaning === undefined ? {} : { rateMeaning: reply.rateMeaning }),
      })
      .filter((mismatch) => !service.tolerates(mismatch, operation))
    if (mismatches.length === 0) return
    const { operationId } = operation
    journal.violation({ at: clock.now(), direction: 'response', operationId, mismatches })
    throw new ResponseRefusedError(operationId, reply.status, mismatches)
  }

  async function answerPage(page: Page, arrival: Arrival): Promise<Answer<Caller>> {
    const { request, url, addresses, remoteAddress, parameters } = arrival
    const baseUrl = addresses[page.address ?? firstAddress] ?? url.origin
    const { headers } = request
    const form = new URLSearchParams()
    const body = await readBody(request, page.bodyLimitBytes ?? MAX_PAGE_BODY_BYTES)
    if (body.kind === 'form')
      for (const [name, value] of body.form) if (typeof value === 'string') form.append(name, value)
    const query = url.searchParams
    const where = { method: request.method, path: url.pathname, baseUrl, addresses, remoteAddress }
    return { reply: await page.handle({ ...where, parameters, query, headers, form, body }) }
  }

  function send({ reply, caller }: Answer<Caller>, record?: RequestRecord): Response {
    const { status, headers, bytes } = encodeReply(reply)
    for (const [name, value] of Object.entries(service.responseHeaders(caller))) headers.set(name, value)
    if (record) record.status = status
    const hasBody = headers.has('content-length') && record?.method !== 'HEAD'
    return new Response(hasBody ? bytes : null, { status, headers })
  }

  /** What a failed dispatch throws: what the caller aborted with, or one of the emulator's own errors. */
  function toThrown(request: Request, error: unknown): unknown {
    if (request.signal.aborted) return request.signal.reason
    if (closing.aborted) return new ConnectionBrokenError('after')
    if (error instanceof EmulatorError) return error
    return new EmulatorError(
      'handler-failed',
      `The emulator failed to answer ${request.method} ${new URL(request.url).pathname}: ${String(error)}`,
      { cause: error },
    )
  }

  const sockets =
    service.sockets &&
    createSocketApp(service.sockets, {
      ...tools,
      name: service.name,
      prefixes,
      toResponse: (reply) => send({ reply }),
      routeUnknown: () => service.refuse({ kind: 'route-unknown', allowedMethods: [] }),
    })

  return {
    oracle,
    ...(sockets ? { sockets } : {}),
    failure: () => send({ reply: service.refuse({ kind: 'server-error' }) }),
    async dispatch(request, remoteAddress = IN_PROCESS) {
      if (closing.aborted) throw new EmulatorError('closed', 'The emulator was closed. Make a new one.')
      try {
        return await dispatch(request, remoteAddress)
      } catch (error) {
        const thrown = toThrown(request, error)
        if (thrown instanceof EmulatorError)
          log(
            thrown instanceof ConnectionBrokenError ? 'info' : 'error',
            `${service.name}: ${thrown.message}`,
          )
        throw thrown
      }
    },
  }
}

function checkHandlers<Caller>(service: Service<Caller>): void {
  const operations = new Set(service.specification.operations.map((operation) => operation.operationId))
  const missing = [...operations].filter((id) => !Object.hasOwn(service.handlers, id))
  const extra = Object.keys(service.handlers).filter((id) => !operations.has(id))
  if (missing.length > 0)
    throw new HandlerMismatchError(
      `The contract of ${service.name} has operations that the emulator has no handler for: ${missing.join(', ')}.`,
    )
  if (extra.length > 0)
    throw new HandlerMismatchError(
      `The emulator has handlers for operations that the contract of ${service.name} does not have: ${extra.join(', ')}.`,
    )
}
