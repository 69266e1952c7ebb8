/** A handler's reply. Its body is either `json` or `body`. If neither is set, the body is empty. */
export interface Reply {
  status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  /** For a 429, the name of the exceeded limit, as in the contract's `x-rate-meaning`. */
  readonly rateMeaning?: string
  /**
   * The object that the body of a success response represents, such as a job. `choices.successResponse` gets it
   * as `value`.
   */
  readonly value?: unknown
  readonly body?: string | Uint8Array<ArrayBuffer>
}

export function jsonReply(status: number, json: unknown, headers?: Readonly<Record<string, string>>): Reply {
  return headers ? { status, json, headers } : { status, json }
}

export function success(status: number, value: unknown, json: unknown): Reply {
  return { status, value, json }
}

export function bodyReply(
  status: number,
  contentType: string,
  body: string | Uint8Array<ArrayBuffer>,
): Reply {
  return { status, headers: { 'content-type': contentType }, body }
}

const STATUSES_WITHOUT_BODY = new Set([204, 205, 304])

export function encodeReply(reply: Reply): {
  status: number
  headers: Headers
  bytes: Uint8Array<ArrayBuffer>
} {
  const headers = new Headers(reply.headers)
  let bytes: Uint8Array<ArrayBuffer> = new Uint8Array()
  if (!STATUSES_WITHOUT_BODY.has(reply.status)) {
    const content = reply.json === undefined ? (reply.body ?? '') : JSON.stringify(reply.json)
    if (reply.json !== undefined && !headers.has('content-type'))
      headers.set('content-type', 'application/json')
    bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
    headers.set('content-length', String(bytes.byteLength))
  }
  return { status: reply.status, headers, bytes }
}

/** Creates headers from a list in which names and values alternate, as in Node's `rawHeaders`. */
export function headersOf(names: readonly string[]): Headers {
  const headers = new Headers()
  for (let index = 0; index < names.length; index += 2)
    headers.append(names[index] ?? '', names[index + 1] ?? '')
  return headers
}
