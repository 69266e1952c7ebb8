import {
  type CallOptions,
  type Client,
  type OperationDescriptor,
  OptionsError,
  RequestInvalidError,
  type StandardSchema,
} from '@concord/runtime'
import { checkOptionNames, type HttpMethod, type OptionNames } from '@concord/runtime/internal'

import { checkSchema, conform, type Typed } from './schema.ts'

/**
 * A request to one of two families of operations: project management (`/v1/projects/*`) or self-hosted management
 * (`/v1/projects/.../selfhosted/...`). The documentation shows only the paths of these operations.
 *
 * @see `specs/speech/openapi.yaml#/info`
 * @public
 */
export interface RawRequest<Schema extends StandardSchema = never> {
  readonly method: HttpMethod
  /**
   * `/v1/projects` or a path under it, percent-encoded. The documentation doesn't say whether `/v1/projects/*`
   * includes `/v1/projects` itself.
   */
  readonly path: string
  /** Query parameters. If a value is an array, its parameter is repeated. */
  readonly query?: Readonly<Record<string, unknown>>
  /** The body, sent as JSON. */
  readonly body?: unknown
  /** A schema that checks the body of the response and defines its type. */
  readonly schema?: Schema
}

/** The response to a {@link RawRequest}. @public */
export interface RawResponse<Data = unknown> {
  readonly status: number
  readonly headers: Headers
  /** The body: parsed JSON, a string if the body isn't JSON, or `undefined` if the body is empty. */
  readonly data: Data
}

const METHODS: readonly HttpMethod[] = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS']
const NAMES: OptionNames<RawRequest> = { method: true, path: true, query: true, body: true, schema: true }
const SAFE: readonly HttpMethod[] = ['GET', 'HEAD', 'OPTIONS']

/** @throws RequestInvalidError, before anything is sent, for a path outside `/v1/projects`. */
export async function sendRaw<Schema extends StandardSchema>(
  client: Client,
  request: RawRequest<Schema>,
  options: CallOptions | undefined,
): Promise<RawResponse<Typed<Schema>>> {
  checkOptionNames(request, NAMES, 'request')
  checkSchema(request.schema)
  const operation = toOperation(request)
  const extra = { ...options?.extra, query: { ...request.query, ...options?.extra?.query } }
  const input = { body: request.body }
  const { status, headers, data } = await client.exchange(operation, input, { ...options, extra })
  return { status, headers, data: await conform(request.schema, data, operation.id) }
}

function toOperation({
  method,
  path,
}: RawRequest<StandardSchema>): OperationDescriptor<{ readonly body?: unknown }, unknown> {
  if (!METHODS.includes(method))
    throw new OptionsError(
      'method',
      '`method` must be an HTTP method in uppercase.',
      `Pass one of ${METHODS.join(', ')}.`,
    )
  checkPath(path)
  return {
    id: `${method} /v1/projects/*`,
    method,
    path,
    server: 'apiUrl',
    security: ['apiKey', 'accessToken'],
    securityOptional: true,
    parameters: [],
    body: { kind: 'json', contentType: 'application/json', required: false },
    // The documentation doesn't show the responses, so the client accepts every success status and any body.
    responses: { 200: { kind: 'any', openStatus: true }, default: { kind: 'json' } },
    retry: { class: SAFE.includes(method) ? 'safe' : 'unsent-only' },
    secrets: [],
  }
}

function checkPath(path: unknown): void {
  const reason = pathProblem(path)
  if (reason === undefined) return
  throw new RequestInvalidError(
    `request: \`path\` ${reason}. Nothing was sent.`,
    [{ path: '/path', reason }],
    {
      operation: 'request',
    },
  )
}

function pathProblem(path: unknown): string | undefined {
  if (typeof path !== 'string' || !/^\/v1\/projects(?:\/|$)/.test(path))
    return "must be /v1/projects or begin with /v1/projects/; for other documented paths, use the client's other methods"
  if (!/^(?:[\w\-.~!$&'()*+,;=:@/]|%[0-9a-f]{2})+$/i.test(path))
    return 'must be only the path, already escaped; pass a query as `query`'
  // Servers and proxies resolve dot segments, even encoded ones, so the request could leave /v1/projects.
  const leaves = path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))
  return leaves ? 'must not contain `.` or `..` as a segment, even if escaped' : undefined
}
