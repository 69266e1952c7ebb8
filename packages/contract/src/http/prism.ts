import {
  escapeToken,
  formatsAsPatterns,
  type JsonObject,
  objectOf,
  resolveAt,
  type Spec,
  reasonOf,
} from '@concord/spec-model'

import {
  type Finding,
  finding,
  type HeaderLine,
  headerValue,
  isJson,
  mediaTypeOf,
  type RecordedRequest,
  type RecordedResponse,
} from './exchange.ts'
import { forwarder, type ForwardOptions } from './forward.ts'
import { textResponse } from './front.ts'
import { readForm } from './multipart.ts'
import {
  loadPrism,
  prismLogger,
  type PrismLogger,
  type PrismOperation,
  type PrismScheme,
} from './prism-library.ts'

/** Selects Prism's response. */
export interface Preference {
  readonly status?: string
  readonly example?: string
  /** Requests random data instead of an example; the same seed produces the same data. */
  readonly seed?: string
  /** Selects a media type, if the status has several. */
  readonly mediaType?: string
}

interface PrismReply {
  readonly response: RecordedResponse
  readonly findings: readonly Finding[]
}

/** Without this limit, a request that gets no response would block all later ones. */
const PRISM_TIMEOUT_MS = 30_000

/** A running Prism. {@link startPrism} describes the guard in front of it. */
export interface PrismHost {
  /**
   * Sends a request to Prism.
   *
   * @param limits `signal` aborts the request. `startCount` limits the response's size.
   * @throws ContractError `unreachable` if Prism doesn't respond within 30 seconds.
   */
  exchange(
    request: RecordedRequest,
    preference?: Preference,
    limits?: Pick<ForwardOptions, 'signal' | 'startCount'>,
  ): Promise<PrismReply>
  close(): Promise<void>
}

/**
 * Starts Prism for a contract: as a validating proxy if `upstream` is set, otherwise as a mock.
 *
 * A guard in front of Prism works around bugs and gaps in Prism 5.16:
 * - It rejects malformed bodies: malformed multipart would end the process, and malformed JSON never gets a response.
 * - It removes the `encoding` of multipart parts from the contract, because Prism would reject ordinary file bytes.
 * - It replaces the formats in `@concord/specs/formats.json` with patterns, because Prism doesn't know these formats.
 * - It removes the lists of values from open enums in requests, because Prism would reject all other values.
 */
export async function startPrism(
  spec: Spec,
  options: { readonly upstream?: string } = {},
): Promise<PrismHost> {
  const library = await loadPrism()
  const documents = documentsForPrism(spec)
  const read = documents.map(async ({ document, method }) => {
    const operations = await library.getHttpOperationsFromSpec(formatsAsPatterns(document))
    return method === undefined
      ? operations
      : operations.map((one) => ({ ...one, method: method.toLowerCase() }))
  })
  const operations = withoutEncodings((await Promise.all(read)).flat())
  const log = violationLog()
  const server = library.createServer(operations, {
    cors: false,
    components: { logger: log.logger },
    config: {
      isProxy: options.upstream !== undefined,
      ...(options.upstream === undefined ? {} : { upstream: new URL(options.upstream) }),
      checkSecurity: true,
      validateRequest: true,
      validateResponse: true,
      errors: false,
      mock: { dynamic: false },
    },
  })
  const address = await server.listen(0, '127.0.0.1')
  const sender = forwarder(address, { timeoutMs: PRISM_TIMEOUT_MS })
  let last: Promise<unknown> = Promise.resolve()

  const exchangeAlone: PrismHost['exchange'] = async (request, preference = {}, limits = {}) => {
    limits.signal?.throwIfAborted()
    const malformed = malformedBody(request)
    if (malformed) {
      return {
        response: textResponse(400, `The request was not sent to Prism: ${malformed}.`),
        findings: [finding('body', 'request.body', malformed)],
      }
    }
    log.clear()
    const response = await sender.send(request, { ...limits, extraHeaders: headersFor(preference) })
    return { response, findings: log.findings() }
  }

  return {
    exchange(request, preference, limits) {
      // Requests are sent one at a time, because Prism's log doesn't say which request an entry belongs to.
      const turn = last.then(() => exchangeAlone(request, preference, limits))
      last = turn.catch(() => undefined)
      return turn
    },
    async close() {
      sender.close()
      await server.close()
    },
  }
}

/** The HTTP methods that OpenAPI 3.1 supports. */
const OLD_METHODS = new Set(['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'])

/**
 * Returns the contract, and one more document for each `method` that OpenAPI 3.1 doesn't support. The added document
 * contains the operations with that method, but as `post` operations. The caller restores their method.
 */
function documentsForPrism({ document, operations }: Spec): { document: JsonObject; method?: string }[] {
  const added = new Set(operations.map(({ method }) => method).filter((one) => !OLD_METHODS.has(one)))
  const others = [...added].map((method) => {
    const own = operations.filter((one) => one.method === method)
    const paths = own.map(({ path, source }) => {
      const { parameters, servers } = objectOf(resolveAt(document, `/paths/${escapeToken(path)}`))
      return [path, { parameters, servers, post: source }] as const
    })
    return { method, document: { ...document, paths: Object.fromEntries(paths) } }
  })
  return [{ document }, ...others]
}

function headersFor(preference: Preference): HeaderLine[] {
  const preferences = [
    ...(preference.status ? [`code=${preference.status}`] : []),
    ...(preference.example ? [`example=${preference.example}`] : []),
    ...(preference.seed ? ['dynamic=true', `seed=${preference.seed}`] : []),
  ]
  return [
    ...(preferences.length > 0 ? [['prefer', preferences.join(', ')] as const] : []),
    ...(preference.mediaType ? [['accept', preference.mediaType] as const] : []),
  ]
}

function malformedBody(request: RecordedRequest): string | undefined {
  const mediaType = mediaTypeOf(request.headers)
  if (mediaType?.startsWith('multipart/')) {
    const { problem } = readForm(headerValue(request.headers, 'content-type'), request.body)
    return problem === undefined ? undefined : `malformed multipart: ${problem}`
  }
  if (mediaType === undefined || !isJson(mediaType) || request.body.length === 0) return undefined
  try {
    JSON.parse(new TextDecoder().decode(request.body))
    return undefined
  } catch (error) {
    return `malformed JSON: ${reasonOf(error)}`
  }
}

function withoutEncodings(operations: readonly PrismOperation[]): readonly PrismOperation[] {
  for (const operation of operations) {
    for (const content of operation.request?.body?.contents ?? []) {
      if (content.mediaType === 'multipart/form-data') content.encodings = []
      content.schema = withoutOpenEnums(content.schema)
    }
    for (const scheme of operation.security?.flat() ?? []) asHeader(scheme)
  }
  return operations
}

function withoutOpenEnums<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(withoutOpenEnums) as T
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema)
  const isOpen = entries.some(([key, value]) => key === 'x-open-enum' && value === true)
  return Object.fromEntries(
    entries
      .filter(([key]) => !(isOpen && key === 'enum'))
      .map(([key, value]) => [key, withoutOpenEnums(value)]),
  ) as T
}

/**
 * Turns an HTTP authentication scheme that Prism doesn't know into an API key in the `Authorization` header. Prism
 * then at least requires this header.
 */
function asHeader(scheme: PrismScheme): void {
  if (scheme.type !== 'http' || ['basic', 'bearer', 'digest'].includes(scheme.scheme ?? '')) return
  Object.assign(scheme, { type: 'apiKey', in: 'header', name: 'Authorization' })
}

/**
 * Collects the violations that Prism logs. The response's `sl-violations` header isn't enough: Prism omits this
 * header if it rejects a request, and a proxy's upstream can send a header with the same name.
 */
function violationLog(): { logger: PrismLogger; clear(): void; findings(): Finding[] } {
  const messages = new Set<string>()
  const logger = prismLogger((level, message, { name }) => {
    const isViolation = name === 'VALIDATOR' || message.startsWith('Request terminated')
    if (isViolation && ['fatal', 'error', 'warn'].includes(level)) messages.add(message)
  })
  return {
    logger,
    clear: () => messages.clear(),
    findings: () => [...messages].map((message) => finding('prism', 'exchange', message)),
  }
}
