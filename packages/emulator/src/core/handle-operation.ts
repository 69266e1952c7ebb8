import { ChoiceError, HandlerMismatchError, ResponseRejectedError, type Mismatch } from './errors.ts'
import { identify } from './credentials.ts'
import type { Clock } from './clock.ts'
import type { Log, RequestRecord, Records } from './records.ts'
import { usedChoiceNames } from './choices.ts'
import { reasonsOf } from './denials.ts'
import { bodyKindOf, judgeRequest, judgeResponse } from './oracle.ts'
import { encodeReply, type Reply } from './reply.ts'
import { mediaEssence, readBody, type Body } from './request-body.ts'
import type { ResponseChoices, Service } from './service.ts'
import type { Operation } from './specification.ts'

export interface IncomingRequest {
  readonly request: Request
  readonly url: URL
  readonly baseUrls: Readonly<Record<string, string>>
  readonly remoteAddress: string
  readonly parameters: Readonly<Record<string, string>>
  readonly record: RequestRecord
}

export interface CallerReply<Caller> {
  readonly reply: Reply
  readonly caller?: Caller
}

interface OperationTools<Caller> {
  readonly service: Service<Caller>
  readonly records: Records
  readonly log: Log
  readonly clock: Clock
}

/** Checks a request for an operation, runs the operation's handler, and checks the reply. */
export async function handleOperation<Caller>(
  operation: Operation,
  incoming: IncomingRequest,
  tools: OperationTools<Caller>,
): Promise<CallerReply<Caller>> {
  const { service } = tools
  const { request, url, remoteAddress } = incoming
  const sender = { remoteAddress, headers: request.headers }
  const target = { id: operation.operationId, security: operation.security }
  const { problem, ...known } = identify(service, target, request.headers, url)
  const reply = problem
    ? service.deny({ kind: problem, ...sender })
    : (service.admit?.(operation, known.caller, sender) ??
      (await runHandler(operation, incoming, known, tools)))
  checkResponse(operation, reply, tools)
  return { reply, ...known }
}

async function runHandler<Caller>(
  operation: Operation,
  incoming: IncomingRequest,
  known: { caller?: Caller },
  tools: OperationTools<Caller>,
): Promise<Reply> {
  const { service } = tools
  const { request, url, baseUrls, remoteAddress, parameters, record } = incoming
  const handler = service.handlers[operation.operationId]
  if (!handler) throw new HandlerMismatchError(`The operation \`${operation.operationId}\` has no handler.`)
  const contentType = request.headers.get('content-type') ?? ''
  const limitBytes = service.bodyLimitBytes(operation, known.caller)
  const received = await readBody(request, limitBytes, bodyKindOf(operation, contentType) === 'bytes')
  if (received.kind === 'too-large')
    return service.deny({ kind: 'body-too-large', operation, limitBytes: received.limitBytes, ...known })
  const body = await readAsJson(operation, received, service)
  const query = url.searchParams
  const { headers } = request
  const message = { parameters, query, headers, body }
  const mismatches = judgeRequest(service.specification, operation, message).filter(
    (mismatch) => !service.tolerates?.(mismatch, operation),
  )
  if (mismatches.length > 0) noteRequest(operation, mismatches, record, tools)
  const baseUrl = baseUrls[operation.baseUrlName] ?? url.origin
  const call = { operation, baseUrl, baseUrls, remoteAddress, parameters, query, headers, body, ...known }
  const checked = handler.check?.(call)
  if (checked) return checked
  if (mismatches.length > 0) return service.deny({ kind: 'request-rejected', operation, mismatches })
  return chooseSuccess(operation.operationId, await handler.handle(call), service.choices)
}

async function readAsJson<Caller>(operation: Operation, body: Body, service: Service<Caller>): Promise<Body> {
  if (!service.readBody || body.kind === 'none') return body
  if (!operation.body?.media.some(({ type }) => type === 'application/json')) return body
  const value = await service.readBody({
    operation: operation.operationId,
    contentType: mediaEssence(body.contentType),
    ...(body.kind === 'json' ? { json: body.value } : {}),
    ...(body.kind === 'form' ? { form: body.form } : {}),
    ...(body.kind === 'other' ? { bytes: body.bytes } : {}),
  })
  return value === undefined
    ? body
    : { kind: 'json', contentType: 'application/json', value, sizeBytes: body.sizeBytes }
}

/** Applies `choices.successResponse` to a reply with a 2xx status. */
export async function chooseSuccess(
  operation: string,
  reply: Reply,
  choices: Pick<ResponseChoices<never, never, never>, 'successResponse'> | undefined,
): Promise<Reply> {
  if (!choices || reply.status < 200 || reply.status > 299) return reply
  const { value, json, ...rest } = reply
  const facts = { operation, value, status: reply.status, body: json }
  const chosen = (await choices.successResponse(facts as never)) ?? {}
  const { status = reply.status } = chosen
  if (reply.body !== undefined) return { ...rest, status }
  const body = 'body' in chosen ? chosen.body : json
  return body === undefined ? { ...rest, status } : { ...rest, status, json: body }
}

function noteRequest<Caller>(
  operation: Operation,
  mismatches: readonly Mismatch[],
  record: RequestRecord,
  { service, records, log, clock }: OperationTools<Caller>,
): void {
  const { operationId } = operation
  record.mismatches = mismatches
  records.violation({ at: clock.now(), direction: 'request', operationId, mismatches })
  const list = reasonsOf(mismatches).join('; ')
  log('warn', `${service.name}: the contract rejects a request for ${operationId}: ${list}`)
}

function checkResponse<Caller>(
  operation: Operation,
  reply: Reply,
  { service, records, clock }: OperationTools<Caller>,
): void {
  const { operationId } = operation
  if (!Number.isInteger(reply.status) || reply.status < 200 || reply.status > 599)
    throw new ChoiceError(
      service.name,
      'statuses',
      `contains the status ${reply.status}, which isn't a whole number from 200 to 599`,
    ).at(operationId)
  const { headers, bytes } = encodeReply(reply)
  const contentType = headers.get('content-type') ?? ''
  const isJson = mediaEssence(contentType) === 'application/json'
  const json = isJson ? (JSON.parse(new TextDecoder().decode(bytes)) as unknown) : undefined
  const mismatches = judgeResponse(service.specification, operation, {
    status: reply.status,
    contentType,
    json,
    isEmpty: bytes.byteLength === 0,
    rateMeaning: reply.rateMeaning,
  }).filter((mismatch) => !service.tolerates?.(mismatch, operation))
  if (mismatches.length === 0) return
  records.violation({ at: clock.now(), direction: 'response', operationId, mismatches })
  throw new ResponseRejectedError(operationId, reply.status, mismatches, usedChoiceNames())
}
