import {
  service,
  type CostEstimate,
  type FleetService,
  type ServiceOptions,
  type WorkHandle,
} from './service.ts'

/** The options of {@link service} that an adapter doesn't set. @public */
export type AdapterOptions<Request, Result> = Omit<
  ServiceOptions<Request, Result>,
  'submit' | 'resume' | 'check'
>

/** A client of which a fleet uses the generations: that of the media service has this form. @public */
export interface GenerationClient<Result> {
  task(id: string): WorkHandle<Result>
  // oxlint-disable-next-line typescript/no-explicit-any -- inferred from the client
  batch(requests: readonly any[]): Promise<unknown>
  // oxlint-disable-next-line typescript/no-explicit-any -- one of several forms
  estimateCredits(basis: any): CostEstimate
}

/** One request of a client's batches. @public */
export type GenerationOf<Client> = Client extends { batch(requests: readonly (infer Request)[]): unknown }
  ? Request
  : never

/** The result of a client's tasks. @public */
export type TaskOf<Client> = Client extends { task(id: string): WorkHandle<infer Result> } ? Result : never

interface Generation {
  readonly operation: string
  readonly request: object
  readonly credits?: { readonly min: number; readonly max: number }
}

/**
 * Lets a fleet use the client of the media service: generations as in its batches, with their estimated credits.
 *
 * @public
 */
export function mediaService<Client extends GenerationClient<unknown>>(
  client: Client,
  options: AdapterOptions<GenerationOf<Client>, TaskOf<Client>>,
): FleetService<GenerationOf<Client>, TaskOf<Client>> {
  const methods = client as unknown as Record<
    string,
    (request: object, options: { readonly signal: AbortSignal }) => Promise<{ readonly id: string }>
  >
  return service<GenerationOf<Client>, TaskOf<Client>>({
    cost(generation) {
      const { credits, request } = generation as Generation
      return credits ?? client.estimateCredits(request)
    },
    ...options,
    submit: (generation, own) => {
      const { operation, request } = generation as Generation
      return methods[operation]!(request, own)
    },
    resume: (id) => client.task(id) as WorkHandle<TaskOf<Client>>,
    check(generation) {
      const { operation } = generation as Generation
      if (typeof methods[operation] !== 'function')
        throw new TypeError(`The client has no method ${operation}.`)
    },
  })
}

/** A client of which a fleet uses the documents: that of the extraction service has this form. @public */
export interface DocumentClient<Result> {
  // oxlint-disable-next-line typescript/no-explicit-any -- one of several forms
  submit(submission: any, options?: { readonly signal?: AbortSignal }): Promise<{ readonly id: string }>
  job(id: string): WorkHandle<Result>
}

/** A document to process, as plain data. @public */
export interface DocumentSubmission {
  /** The path of the file, which all workers can read. */
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

/**
 * Lets a fleet use the client of the extraction service.
 *
 * @public
 */
export function extractionService<Client extends DocumentClient<unknown>>(
  client: Client,
  options: AdapterOptions<DocumentSubmission, DocumentOf<Client>>,
): FleetService<DocumentSubmission, DocumentOf<Client>> {
  return service<DocumentSubmission, DocumentOf<Client>>({
    ...options,
    submit: (submission, own) => client.submit(submission, own),
    resume: (id) => client.job(id) as WorkHandle<DocumentOf<Client>>,
  })
}
