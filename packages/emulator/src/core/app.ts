import { handleOperation, type CallerReply, type IncomingRequest } from './handle-operation.ts'
import { trackUsedChoices } from './choices.ts'
import { checkHandlers, EmulatorError, HandlerMismatchError } from './errors.ts'
import { applyAfter, applyBefore } from './fault-effects.ts'
import { REQUEST_FAULTS } from './faults.ts'
import { toThrown, type RequestRecord } from './records.ts'
import type { Dispatcher } from './node-server.ts'
import { encodeReply } from './reply.ts'
import { readBody } from './request-body.ts'
import { createRouter, type Match } from './router.ts'
import type { Page, Service } from './service.ts'
import type { ServingTools } from './service-module.ts'
import { SocketApp } from './socket-app.ts'
import type { Operation } from './specification.ts'

export interface AppTools extends ServingTools {
  /** The path prefixes, keyed by the name of the base URL, such as `{ baseUrl: '/tenant' }`. */
  readonly basePaths: Readonly<Record<string, string>>
}

type Target = { method: string; path: string; baseUrlName: string } & (
  | { operation: Operation }
  | { page: Page }
)

/** The remote address of a caller in the same process. */
const IN_PROCESS = '127.0.0.1'
const MAX_PAGE_BODY_BYTES = 64 * 1024

/** @throws HandlerMismatchError if an operation has no handler, or a handler has no operation. */
export function createApp<Caller>(service: Service<Caller>, tools: AppTools): Dispatcher {
  checkHandlers(
    service.name,
    'operations',
    service.specification.operations.map(({ operationId }) => operationId),
    service.handlers,
  )
  const { clock, records, closing, basePaths: prefixes } = tools
  const [firstBaseUrlName = 'baseUrl'] = Object.keys(prefixes)
  const route = createRouter<Target>(targetsOf(service, prefixes, firstBaseUrlName))
  const context: AppContext<Caller> = { service, ...tools }

  function routeAndRespond(
    request: Request,
    remoteAddress: string,
    record: RequestRecord,
  ): Promise<Response> {
    const url = new URL(request.url)
    const match = route(request.method, url.pathname)
    const baseUrls = Object.fromEntries(
      Object.entries(prefixes).map(([name, prefix]) => [name, url.origin + prefix]),
    )
    return respond(match, { request, url, baseUrls, remoteAddress, parameters: {}, record }, context)
  }

  const sockets =
    service.sockets &&
    new SocketApp(service.sockets, {
      ...context,
      toResponse: (reply) => toResponse({ reply }, service),
      routeUnknown: () => service.deny({ kind: 'route-unknown', allowedMethods: [] }),
    })

  return {
    ...(sockets ? { sockets } : {}),
    failure: () => toResponse({ reply: service.deny({ kind: 'server-error' }) }, service),
    async dispatch(request, remoteAddress = IN_PROCESS) {
      if (closing.aborted)
        throw new EmulatorError('closed', 'The emulator was closed. Create a new emulator.')
      request.signal.throwIfAborted()
      const { method, url } = request
      const path = new URL(url).pathname
      const record = records.request({ at: clock.now(), method, path, faults: [], mismatches: [] })
      try {
        return await trackUsedChoices(() => routeAndRespond(request, remoteAddress, record))
      } catch (error) {
        throw toThrown(error, record, request.signal, context)
      }
    },
  }
}

interface AppContext<Caller> extends AppTools {
  readonly service: Service<Caller>
}

function targetsOf<Caller>(
  service: Service<Caller>,
  prefixes: Readonly<Record<string, string>>,
  firstBaseUrlName: string,
): Target[] {
  function under<T extends { path: string }>(baseUrlName: string, target: T): T & { baseUrlName: string } {
    const prefix = Object.hasOwn(prefixes, baseUrlName) ? prefixes[baseUrlName] : undefined
    if (prefix === undefined)
      throw new HandlerMismatchError(
        `The path \`${target.path}\` of the service \`${service.name}\` belongs to the base URL \`${baseUrlName}\`, but the emulator does not serve this base URL.`,
      )
    return { ...target, baseUrlName, path: prefix + target.path }
  }
  return [
    ...service.specification.operations.map((operation) =>
      under(operation.baseUrlName, { ...operation, operation }),
    ),
    ...service.pages.map((page) => under(page.baseUrlName ?? firstBaseUrlName, { ...page, page })),
  ]
}

async function respond<Caller>(
  match: Match<Target>,
  unrouted: IncomingRequest,
  context: AppContext<Caller>,
): Promise<Response> {
  const { service } = context
  const { record } = unrouted
  if (!match.found) {
    const { allowedMethods } = match
    const kind = allowedMethods.length > 0 ? 'method-unknown' : 'route-unknown'
    return toResponse({ reply: service.deny({ kind, allowedMethods }) }, service, record)
  }
  const target = match.found
  const routed = { ...unrouted, parameters: match.parameters }
  if ('page' in target)
    return respondWithFaults(target.page.name, routed, context, () =>
      respondWithPage(target.page, target.baseUrlName, routed),
    )
  record.operationId = target.operation.operationId
  return respondWithFaults(record.operationId, routed, context, () =>
    handleOperation(target.operation, routed, context),
  )
}

async function respondWithFaults<Caller>(
  name: string,
  { request, record }: IncomingRequest,
  { service, clock, random, faults, closing }: AppContext<Caller>,
  work: () => Promise<CallerReply<Caller>>,
): Promise<Response> {
  const drawn = faults.draw(name, REQUEST_FAULTS)
  record.faults.push(...drawn.map((fault) => fault.kind))
  const signal = drawn.length > 0 ? AbortSignal.any([request.signal, closing]) : request.signal
  const environment = { clock, random, signal }
  // A virtual clock doesn't advance while tracked work runs. Injected delays wait for the clock, so don't track them.
  const early = await applyBefore(drawn, environment)
  const outcome = early ? { reply: early } : await clock.track(work())
  request.signal.throwIfAborted()
  const response = toResponse(outcome, service, record)
  return early ? response : applyAfter(drawn, response, environment)
}

async function respondWithPage<Caller>(
  page: Page,
  baseUrlName: string,
  incoming: IncomingRequest,
): Promise<CallerReply<Caller>> {
  const { request, url, baseUrls, remoteAddress, parameters } = incoming
  const baseUrl = baseUrls[baseUrlName] ?? url.origin
  const { headers } = request
  const form = new URLSearchParams()
  const body = await readBody(request, page.bodyLimitBytes ?? MAX_PAGE_BODY_BYTES, page.takesBytes ?? false)
  if (body.kind === 'form')
    for (const [name, value] of body.form) if (typeof value === 'string') form.append(name, value)
  const query = url.searchParams
  const where = { method: request.method, path: url.pathname, baseUrl, baseUrls, remoteAddress }
  return { reply: await page.handle({ ...where, parameters, query, headers, form, body }) }
}

function toResponse<Caller>(
  { reply, caller }: CallerReply<Caller>,
  service: Service<Caller>,
  record?: RequestRecord,
): Response {
  const { status, headers, bytes } = encodeReply(reply)
  for (const [name, value] of Object.entries(service.responseHeaders?.(caller) ?? {}))
    headers.set(name, value)
  if (record) record.status = status
  const hasBody = headers.has('content-length') && record?.method !== 'HEAD'
  return new Response(hasBody ? bytes : null, { status, headers })
}
