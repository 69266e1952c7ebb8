import type { Media, Operation, ResponseSpec, SchemaOracle, Spec, Webhook } from '@concord/spec-model'
import { isJson, type Finding } from '../http/exchange.ts'
import { requestCases } from '../suite/inputs.ts'

/** The kinds of evidence. Each is a column of the coverage matrix. @public */
export type Column = 'mock' | 'dynamic' | 'request' | 'emulator' | 'validators'

/** All columns, in display order. @public */
export const columns: readonly Column[] = ['mock', 'dynamic', 'request', 'emulator', 'validators']

/** Describes each column in one sentence. @public */
export const columnMeanings: Readonly<Record<Column, string>> = {
  mock: 'The mock responded with an example from the contract; the request, decoded response and error class were correct.',
  dynamic: 'The client decoded random responses that Ajv had found valid.',
  request:
    'The request, as recorded on the wire, was compared with the contract and with the input of the call.',
  emulator: 'The emulator produced the response, and the exchange conforms to the contract.',
  validators: "The client's validators agreed with Ajv on the example and on changed copies of it.",
}

/** A row of the coverage matrix: one thing that the contract documents. @public */
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
  /** The operationId, the name of the webhook or component, or the key of the channel. */
  readonly operation: string
  /** The status of a response (or `default`), the key of a WebSocket message, or `-`. */
  readonly status: string
  readonly mediaType: string
  readonly example: string
  /** The reasons why columns don't apply. Columns that aren't listed must be covered. */
  readonly notApplicable: Readonly<Partial<Record<Column, string>>>
}

/** The state of one cell. @public */
export interface Cell {
  readonly state: 'covered' | 'failed' | 'missing' | 'unreachable' | 'not-applicable'
  /**
   * The source of the evidence: `prism`, `responder`, `mock`, `recorder`, `ajv` or `emulator`. Several names are
   * joined by ` + `.
   */
  readonly by?: string
  /** Explains `state` or `by`, or says what was checked (for example, `12 values compared.`). */
  readonly note?: string
  readonly findings: readonly Finding[]
}

const none = '-'

/** Lists everything in the contract that must be covered. @public */
export function listRows(spec: Spec, oracle: SchemaOracle): readonly Row[] {
  return [
    ...spec.operations.flatMap((operation) => [
      ...requestRows(operation, oracle),
      ...responseRows(operation),
    ]),
    ...spec.webhooks.flatMap((webhook) =>
      webhookExamples(webhook).map(({ media, example }) =>
        row(['webhook', webhook.name, none, media?.type ?? none, example], {
          request: 'The service makes this call.',
        }),
      ),
    ),
    ...spec.schemas.map((name) =>
      row(['schema', name, none, none, none], {
        mock: 'A component has no request or response of its own.',
        dynamic: 'A component has no request or response of its own.',
        request: 'A component has no request or response of its own.',
        emulator: 'A component has no request or response of its own.',
      }),
    ),
  ]
}

function requestRows(operation: Operation, oracle: SchemaOracle): Row[] {
  return requestCases(operation, oracle).map(({ name, media, needsEncoding }) =>
    row(['request', operation.id, none, media?.type ?? none, name], {
      dynamic: 'Only responses are random.',
      emulator: 'The tests of the emulator cover only responses.',
      ...(needsEncoding
        ? { mock: "Prism decodes reserved characters in its own way, so this request isn't sent to Prism." }
        : {}),
      ...(media?.schema && !needsEncoding && (isJson(media.type) || media.type === 'multipart/form-data')
        ? {}
        : {
            validators: needsEncoding
              ? 'This request tests the encoding of parameters, not the body.'
              : 'The request has no body that can be checked.',
          }),
    }),
  )
}

function responseRows(operation: Operation): Row[] {
  return operation.responses.flatMap((response) =>
    responseExamples(operation.id, response).map(({ media, example }) =>
      row(['response', operation.id, response.status, media?.type ?? none, example], {
        request: 'This is a response.',
        ...(media?.schema && isJson(media.type) ? {} : notJson(media)),
      }),
    ),
  )
}

function notJson(media: Media | undefined): Row['notApplicable'] {
  const why = media ? 'Not JSON.' : 'No body.'
  return { dynamic: why, validators: why }
}

export interface RowExample {
  readonly media?: Media
  readonly example: string
  readonly key: string
}

export function responseExamples(operation: string, { status, media }: ResponseSpec): RowExample[] {
  if (media.length > 0) return examplesOf(['response', operation, status], media)
  const example = '(no body)'
  return [{ example, key: rowKey('response', operation, status, none, example) }]
}

export function webhookExamples({ name, media }: Webhook): RowExample[] {
  return examplesOf(['webhook', name, none], media)
}

function examplesOf(parts: readonly [string, string, string], media: readonly Media[]): RowExample[] {
  return media.flatMap((one) =>
    exampleNames(one).map((example) => ({
      media: one,
      example,
      key: rowKey(...parts, one.type, example),
    })),
  )
}

export function exampleNames(media: Media): readonly string[] {
  return media.examples.length > 0 ? media.examples.map((one) => one.name) : ['(generated)']
}

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

/** Returns the key of a row. @public */
export function rowKey(...parts: readonly [string, string, string, string, string]): string {
  return parts.join(' | ')
}
