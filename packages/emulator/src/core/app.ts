import type { ControlledClock } from './controlled-clock.ts'
import { EmulatorError, HandlerMismatchError, ResponseRefusedError, type Mismatch } from './errors.ts'
import { applyAfter, applyBefore } from './fault-effects.ts'
import { REQUEST_FAULTS, type Faults } from './faults.ts'
import type { Journal, RequestRecord } from './journal.ts'
import type { Log } from './log.ts'
import { createOracle, mediaEssence, type Oracle } from './oracle.ts'
import { encodeReply, type Reply } from './reply.ts'
import { readBody } from './request-body.ts'
import { createRouter } from './router.ts'
import type { Page, Service } from './service.ts'
import type { Operation, SecurityScheme } from './specification.ts'

/** What an app works with. */
export interface AppTools {
  clock: ControlledClock
  random: () => number
  faults: Faults
  journal: Journal
  log: Log
  /** What every address starts with, for instance `/tenant`; empty by default. */
  basePath: string
  /** Ends what a fault made to hang. */
  closing: AbortSignal
}

/** One service, answering requests. */
export interface App {
  /**
   * Answers a request.
   *
   * @throws ConnectionBrokenError where a fault breaks the connection.
   * @throws ResponseRefusedError where the contract refuses the answer.
   */
  dispatch(request: Request): Promise<Response>
  /** What to send where `dispatch` failed for a reason that is not a broken connection. */
  failure(): Response
  oracle: Oracle
}

type Target = { operation: Operation } | { page: Page }

const MAX_PAGE_FORM_BYTES = 64 * 1024

/** Puts a service together; fails where its handlers are not exactly the operations of its contract. */
export function createApp<Caller>(service: Service<Caller>, tools: AppTools): App {
  checkHandlers(service)
  const { clock, journal, log, faults, basePath } = tools
  const oracle = createOracle(service.specification)
  const route = createRouter<Target & { method: string; path: string }>([
    ...service.specification.operations.map((operation) => ({ ...operation, operation })),
    ...service.pages.map((page) => ({ ...page, page })),
  ])

  async function dispatch(request: Request): Promise<Response> {
    request.signal.throwIfAborted()
    const url = new URL(request.url)
    const record = journal.request({
      at: clock.now(),
      method: request.method,
      path: url.pathname,
      faults: [],
      mismatches: [],
    })
    const path = stripBase(url.pathname)
    const match = path === undefined ? undefined : route(request.method, path)
    if (!match?.found) {
      const allowedMethods = match?.allowedMethods ?? []
      const refusal = service.refuse(
        allowedMethods.length > 0 ? { kind: 'method-unknown', allowedMethods } : { kind: 'route-unknown' },
      )
      return send(refusal, undefined, record)
    }
    const baseUrl = url.origin + basePath
    if ('page' in match.found) {
      const { page } = match.found
      const work = answerPage(page, request, url, baseUrl, match.parameters)
      return send(await clock.track(work), undefined, record)
    }
    return answerOperation(match.found.operation, request, url, baseUrl, match.parameters, record)
  }

  async function answerOperation(
    operation: Operation,
    request: Request,
    url: URL,
    baseUrl: string,
    parameters: Readonly<Record<string, string>>,
    record: RequestRecord,
  ): Promise<Response> {
    record.operationId = operation.operationId
    const drawn = faults.draw(operation.operationId, REQUEST_FAULTS)
    record.faults.push(...drawn.map((fault) => fault.kind))
    const environment = {
      clock,
      random: tools.random,
      signal: drawn.length > 0 ? AbortSignal.any([request.signal, tools.closing]) : request.signal,
    }
    const early = await applyBefore(drawn, environment)
    if (early) return send(early, undefined, record)

    const credential = readCredential(operation.security, request, url)
    const caller = credential && service.authenticate(credential.value, credential.scheme)
    const work = answer()
    const reply = await clock.track(work)
    judgeResponse(operation, reply)
    return applyAfter(drawn, send(reply, caller, record), environment)

    async function answer(): Promise<Reply> {
      if (operation.security.length > 0 && !caller)
        return service.refuse({ kind: credential ? 'key-invalid' : 'key-missing' })
      const refusal = service.admit(operation, caller)
      if (refusal) return refusal
      const known = caller === undefined ? {} : { caller }
      const body = await readBody(request, service.bodyLimitBytes(operation, caller))
      if (body.kind === 'too-large')
        return service.refuse({ kind: 'body-too-large', operation, limitBytes: body.limitBytes, ...known })
      const call = { operation, baseUrl, parameters, query: url.searchParams, body, ...known }
      const mismatches = oracle
        .request(operation, { parameters, query: url.searchParams, headers: request.headers, body })
        .filter((mismatch) => !service.tolerates(mismatch, operation))
      if (mismatches.length > 0) noteRequest(operation, mismatches, record)
      const { check, handle } = service.handlers[operation.operationId]!
      const checked = check?.(call)
      if (checked) return checked
      if (mismatches.length > 0) return service.refuse({ kind: 'request-refused', operation, mismatches })
      return handle(call)
    }
  }

  function noteRequest(operation: Operation, mismatches: readonly Mismatch[], record: RequestRecord): void {
    record.mismatches = mismatches
    journal.violation({
      at: clock.now(),
      direction: 'request',
      operationId: operation.operationId,
      mismatches,
    })
    log(
      'warn',
      `${service.name}: the contract refuses a request for ${operation.operationId}: ${list(mismatches)}`,
    )
  }

  function judgeResponse(operation: Operation, reply: Reply): void {
    const { headers, bytes } = encodeReply(reply)
    const contentType = headers.get('content-type') ?? undefined
    const isJson = contentType !== undefined && mediaEssence(contentType) === 'application/json'
    const message = {
      status: reply.status,
      ...(contentType === undefined ? {} : { contentType }),
      ...(isJson ? { json: JSON.parse(new TextDecoder().decode(bytes)) as unknown } : {}),
    }
    const mismatches = oracle
      .response(operation, message)
      .filter((mismatch) => !service.tolerates(mismatch, operation))
    if (mismatches.length === 0) return
    journal.violation({
      at: clock.now(),
      direction: 'response',
      operationId: operation.operationId,
      mismatches,
    })
    throw new ResponseRefusedError(operation.operationId, reply.status, mismatches)
  }

  async function answerPage(
    page: Page,
    request: Request,
    url: URL,
    baseUrl: string,
    parameters: Readonly<Record<string, string>>,
  ): Promise<Reply> {
    const form = new URLSearchParams()
    if (request.method === 'POST') {
      const body = await readBody(request, MAX_PAGE_FORM_BYTES)
      if (body.kind === 'form')
        for (const [name, value] of body.form) if (typeof value === 'string') form.append(name, value)
    }
    return page.handle({ baseUrl, parameters, query: url.searchParams, form })
  }

  function send(reply: Reply, caller: Caller | undefined, record?: RequestRecord): Response {
    const { status, headers, bytes } = encodeReply(reply)
    for (const [name, value] of Object.entries(service.responseHeaders(caller))) headers.set(name, value)
    if (record) record.status = status
    return new Response(headers.has('content-length') ? bytes : null, { status, headers })
  }

  function stripBase(path: string): string | undefined {
    if (basePath === '') return path
    return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : undefined
  }

  return {
    oracle,
    async dispatch(request) {
      try {
        return await dispatch(request)
      } catch (error) {
        if (error instanceof EmulatorError) {
          log(error instanceof ResponseRefusedError ? 'error' : 'info', `${service.name}: ${error.message}`)
          throw error
        }
        if (request.signal.aborted) throw request.signal.reason
        const failure = new EmulatorError(
          'handler-failed',
          `The emulator failed to answer ${request.method} ${new URL(request.url).pathname}: ${String(error)}`,
          { cause: error },
        )
        log('error', `${service.name}: ${failure.message}`)
        throw failure
      }
    },
    failure: () => send(service.refuse({ kind: 'server-error' }), undefined),
  }
}

function readCredential(
  security: readonly SecurityScheme[],
  request: Request,
  url: URL,
): { value: string; scheme: string } | undefined {
  for (const { name, kind } of security) {
    if (kind.type === 'apiKey') {
      const value =
        kind.in === 'header' ? request.headers.get(kind.parameter) : url.searchParams.get(kind.parameter)
      if (value) return { value, scheme: name }
      continue
    }
    const [scheme = '', value] = (request.headers.get('authorization') ?? '').split(/ +/, 2)
    if (value && scheme.toLowerCase() === kind.scheme.toLowerCase()) return { value, scheme: name }
  }
  return undefined
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

function list(mismatches: readonly Mismatch[]): string {
  return mismatches.map((mismatch) => `${mismatch.path} ${mismatch.reason}`).join('; ')
}
