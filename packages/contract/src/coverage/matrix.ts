import type { Media, Operation, SchemaOracle, Spec } from '@concord/spec-model'
import type { Finding } from '../http/exchange.ts'
import { isJson } from '../http/exchange.ts'
import { requestCases } from '../suite/inputs.ts'

/** The kinds of evidence. @public */
export type Column = 'mock' | 'dynamic' | 'request' | 'emulator' | 'validators'

/** All columns, in the order in which they are shown. @public */
export const columns: readonly Column[] = ['mock', 'dynamic', 'request', 'emulator', 'validators']

/** The meaning of each column, in one sentence. @public */
export const columnMeanings: Readonly<Record<Column, string>> = {
  mock: 'The client talked to a mock that answers with this example; request, decoded answer and error class were right.',
  dynamic: 'The client decoded random answers, each judged by Ajv first.',
  request: 'The request was recorded on the wire and compared with the spec, byte by byte.',
  emulator: 'The emulator produced this answer, and the exchange was judged by the spec.',
  validators: 'The verdict of the validators was that of Ajv, on the example and on changed copies of it.',
}

/** One thing that the spec documents. @public */
export interface Row {
  readonly key: string
  readonly direction:
    | 'request'
    | 'response'
    | 'webhook'
    | 'schema'
    | 'handshake'
    | 'sent'
    | 'received'
    | 'rule'
  /** The operationId, the name of the webhook or of the component, or the key of the channel. */
  readonly operation: string
  /** A status, `default`, the key of a socket's message, or `-`. */
  readonly status: string
  readonly mediaType: string
  readonly example: string
  /** Why a column does not apply; columns that are not here must be covered. */
  readonly notApplicable: Readonly<Partial<Record<Column, string>>>
}

/** The state of one cell. @public */
export interface Cell {
  readonly state: 'covered' | 'failed' | 'missing' | 'unreachable' | 'not-applicable'
  /** The other side: `prism`, `responder`, `recorder`, `ajv`, `emulator`. */
  readonly by?: string
  /** A reason or a figure. */
  readonly note?: string
  readonly findings: readonly Finding[]
}

const none = '-'

/** Lists what must be covered, from the spec alone. @public */
export function listRows(spec: Spec, oracle: SchemaOracle): readonly Row[] {
  return [
    ...spec.operations.flatMap((operation) => [
      ...requestRows(operation, oracle),
      ...responseRows(operation),
    ]),
    ...spec.webhooks.flatMap((webhook) =>
      webhook.media.flatMap((media) =>
        exampleNames(media).map((example) =>
          row(['webhook', webhook.name, none, media.type, example], {
            request: 'The service makes this call.',
          }),
        ),
      ),
    ),
    ...spec.schemas.map((name) =>
      row(['schema', name, none, none, none], {
        mock: 'A component on its own is not sent.',
        dynamic: 'A component on its own is not sent.',
        request: 'A component on its own is not sent.',
        emulator: 'A component on its own is not sent.',
      }),
    ),
  ]
}

function requestRows(operation: Operation, oracle: SchemaOracle): Row[] {
  return requestCases(operation, oracle).map(({ name, media, needsEncoding }) =>
    row(['request', operation.id, none, media?.type ?? none, name], {
      dynamic: 'Random answers are a matter of the answers.',
      emulator: 'The walk is counted by its answers.',
      ...(needsEncoding
        ? { mock: 'Reserved characters are judged by the recorder; Prism decodes them differently.' }
        : {}),
      ...(media?.schema && !needsEncoding && (isJson(media.type) || media.type === 'multipart/form-data')
        ? {}
        : { validators: 'There is no body of its own to check.' }),
    }),
  )
}

function responseRows(operation: Operation): Row[] {
  return operation.responses.flatMap((response) => {
    if (response.media.length === 0) {
      return [
        row(['response', operation.id, response.status, none, '(no body)'], {
          request: 'An answer.',
          dynamic: 'No body.',
          validators: 'No body.',
        }),
      ]
    }
    return response.media.flatMap((media) =>
      exampleNames(media).map((example) =>
        row(['response', operation.id, response.status, media.type, example], {
          request: 'An answer.',
          ...(media.schema && isJson(media.type) ? {} : { dynamic: 'Not JSON.', validators: 'Not JSON.' }),
        }),
      ),
    )
  })
}

/** Every media type gets an example; if the document has none, one is generated, and the row says so. */
export function exampleNames(media: Media): readonly string[] {
  return media.examples.length > 0 ? media.examples.map((one) => one.name) : ['(generated)']
}

/** Makes a row of the parts of its key. */
export function row(
  parts: readonly [
    direction: Row['direction'],
    operation: string,
    status: string,
    mediaType: string,
    example: string,
  ],
  notApplicable: Row['notApplicable'],
): Row {
  const [direction, operation, status, mediaType, example] = parts
  return { key: rowKey(...parts), direction, operation, status, mediaType, example, notApplicable }
}

/** The key of a row. @public */
export function rowKey(...parts: readonly [string, string, string, string, string]): string {
  return parts.join(' | ')
}
