export interface RequestParts {
  method?: string | undefined
  /** Sent as JSON, with its content type. */
  json?: unknown
  body?: RequestInit['body'] | undefined
  headers?: Record<string, string>
  signal?: AbortSignal | undefined
}

/** Returns the options of a request; without a method, GET, or POST if it has a body. */
export function requestInit({ method, json, body, headers = {}, signal }: RequestParts): RequestInit {
  const content = json === undefined ? body : JSON.stringify(json)
  return {
    method: method ?? (content === undefined ? 'GET' : 'POST'),
    headers: { ...(json === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(content === undefined ? {} : { body: content }),
    ...(signal === undefined ? {} : { signal }),
  }
}
