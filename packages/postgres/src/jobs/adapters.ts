import { basename } from 'node:path'

import { OptionsError } from '@concord/runtime'
import { functionOption } from '@concord/runtime/internal'

import { reasonText } from './outcomes.ts'
import {
  service,
  type CostEstimate,
  type FleetService,
  type ServiceOptions,
  type WorkHandle,
} from './service.ts'

/** The options of {@link service} that an adapter, such as {@link mediaService}, doesn't set itself. @public */
export type AdapterOptions<Request, Result> = Omit<
  ServiceOptions<Request, Result>,
  'submit' | 'resume' | 'check' | 'encode' | 'decode'
>

/** The client methods that {@link mediaService} needs. The media client has them. @public */
export interface GenerationClient<Result> {
  task(id: string): WorkHandle<Result>
  // oxlint-disable-next-line typescript/no-explicit-any -- inferred from the client
  batch(requests: readonly any[]): Promise<unknown>
  // oxlint-disable-next-line typescript/no-explicit-any -- one of several forms
  estimateCredits(basis: any): CostEstimate
  // oxlint-disable-next-line typescript/no-explicit-any -- inferred from the client
  encodeRequest(request: any): Promise<unknown>
  decodeRequest(value: unknown): Promise<unknown>
}

/** One request in a client's batches. @public */
export type GenerationOf<Client> = Client extends { batch(requests: readonly (infer Request)[]): unknown }
  ? Request
  : never

/** The result of a client's tasks. @public */
export type TaskOf<Client> = Client extends { task(id: string): WorkHandle<infer Result> } ? Result : never

/**
 * The client must not retry by itself: the fleet couldn't record the second attempt, and the service might accept and
 * charge both attempts.
 */
interface SendOptions {
  readonly signal: AbortSignal
  readonly maxAttempts: 1
}

interface Generation {
  readonly operation: string
  readonly request: object
  readonly credits?: { readonly min: number; readonly max: number }
}

/**
 * Lets a fleet use the media client. Requests have the same form as in the client's batches, and the client estimates
 * their cost in credits. The inputs of a request are URLs, data URIs, or `file(path)` for files that all workers can
 * read.
 *
 * @public
 */
export function mediaService<Client extends GenerationClient<unknown>>(
  client: Client,
  options: AdapterOptions<GenerationOf<Client>, TaskOf<Client>>,
): FleetService<GenerationOf<Client>, TaskOf<Client>> {
  const methods = client as unknown as Record<
    string,
    (request: object, options: SendOptions) => Promise<{ readonly id: string }>
  >
  return service<GenerationOf<Client>, TaskOf<Client>>({
    cost(generation) {
      const { credits, request } = generation as Generation
      return credits ?? client.estimateCredits(request)
    },
    ...options,
    submit: (generation, own) => {
      const { operation, request } = generation as Generation
      return methods[operation]!(request, { ...own, maxAttempts: 1 })
    },
    resume: (id) => client.task(id) as WorkHandle<TaskOf<Client>>,
    encode: (generation) => client.encodeRequest(generation),
    decode: (value) => client.decodeRequest(value) as Promise<GenerationOf<Client>>,
    check(generation) {
      const { operation } = generation as Generation
      if (typeof methods[operation] !== 'function')
        throw new OptionsError(
          'requests',
          `The client has no operation ${JSON.stringify(operation)}.`,
          'Pass each request as `{ operation, request }`, where `operation` is the name of a client method.',
        )
    },
  })
}

/** The client methods that {@link extractionService} needs. The extraction client has them. @public */
export interface DocumentClient<Result> {
  // oxlint-disable-next-line typescript/no-explicit-any -- one of several forms
  submit(submission: any, options?: Partial<SendOptions>): Promise<{ readonly id: string }>
  job(id: string): WorkHandle<Result>
}

/** A document to process, as plain data. @public */
export interface DocumentSubmission {
  /**
   * The path of a file that all workers can read, or any string that {@link DocumentOptions.open} understands. Relative paths
   * are resolved against the worker's current directory.
   */
  readonly file: string
  readonly filename?: string
  readonly contentType?: string
  readonly include_images?: boolean
  readonly include_pages?: boolean
  readonly webhook_url?: string
  /** A JSON Schema of the fields to extract, as an object or a string. */
  readonly schema?: object | string
  readonly blueprint_id?: string
}

/** The result of a client's jobs. @public */
export type DocumentOf<Client> = Client extends { job(id: string): WorkHandle<infer Result> } ? Result : never

/** Options of {@link extractionService}. @public */
export interface DocumentOptions<Result> extends AdapterOptions<DocumentSubmission, Result> {
  /**
   * Returns a document's content as bytes, a Blob or a stream, for example from an object store. The worker that sends the
   * document calls `open` with the document's `file`. If `open` throws, the job becomes `denied`; you can retry the
   * job. Default: reads the file with the path `file`.
   */
  readonly open?: (file: string, options: { readonly signal: AbortSignal }) => unknown
}

/**
 * Lets a fleet use the extraction client.
 *
 * @public
 */
export function extractionService<Client extends DocumentClient<unknown>>(
  client: Client,
  options: DocumentOptions<DocumentOf<Client>>,
): FleetService<DocumentSubmission, DocumentOf<Client>> {
  const { open, ...own } = (options ?? {}) as DocumentOptions<DocumentOf<Client>>
  functionOption(open, 'open')
  return service<DocumentSubmission, DocumentOf<Client>>({
    ...own,
    submit: async (submission, sending) =>
      client.submit(open === undefined ? submission : await opened(submission, open, sending), {
        ...sending,
        maxAttempts: 1,
      }),
    resume: (id) => client.job(id) as WorkHandle<DocumentOf<Client>>,
    check({ file }) {
      if (typeof file !== 'string' || file === '')
        throw new OptionsError(
          'requests',
          '`file` of a document must be a non-empty string.',
          'Pass the path of a file that all workers can read, or the string that your `open` function expects.',
        )
    },
  })
}

async function opened(
  submission: DocumentSubmission,
  open: NonNullable<DocumentOptions<unknown>['open']>,
  own: { readonly signal: AbortSignal },
): Promise<object> {
  const { file, filename = basename(file) } = submission
  try {
    return { ...submission, filename, file: await open(file, own) }
  } catch (cause) {
    throw new OptionsError(
      'file',
      `${JSON.stringify(file)} could not be opened (${reasonText(cause)}).`,
      'Nothing was sent. Check the file and your `open` function, then retry the job.',
      { cause },
    )
  }
}
