import {
  createClient,
  readBlob,
  type CallOptions,
  type Client,
  type OperationDescriptor,
  type PollingOptions,
  type StandardSchema,
} from '@concord/runtime'
import {
  CALL_OPTIONS,
  canBeMedia,
  checkOptionNames,
  checkPollingNames,
  load,
  loadPolling,
  submit,
  type OptionNames,
} from '@concord/runtime/internal'
import type { AuthorizedKey } from '@concord/runtime/device-flow'
import type { Job, OptimizationRequest, StartOptimizationInput } from '@concord/extraction-validators'

import type { DeviceAuthorizationOptions } from './device.ts'
import type { ExtractionSchema, FieldsOf, OpenFields } from './fields.ts'
import {
  extractionApi,
  extractionApiWithResponse,
  type ExtractionApi,
  type ExtractionApiWithResponse,
} from './gen/api.gen.ts'
import { processDocument, startOptimization } from './gen/operations.gen.ts'
import type { JobHandle, JobId } from './jobs.ts'
import { readEnv, toClientOptions, type ExtractionOptions } from './options.ts'
import {
  checkGroundTruth,
  checkOptimization,
  type OptimizationHandle,
  type OptimizationId,
} from './optimizer.ts'
import { toPreview, type Preview } from './preview.ts'
import {
  checkSubmission,
  fieldsOf,
  type AnySubmission,
  type SubmitForText,
  type SubmitWithBlueprint,
  type SubmitWithSchema,
} from './submit.ts'
import { requestBudget, Waits } from './waits.ts'

/** Options of one submission. @public */
export interface SubmitOptions extends CallOptions {
  /** Polling delays and limits for this job or optimization run. They override the client's. */
  readonly polling?: PollingOptions
}

/**
 * The client of the document extraction service.
 *
 * ```ts
 * import { Extraction } from '@concord/extraction'
 *
 * const extraction = new Extraction({ baseUrl: 'https://extraction.example', apiKey: () => 'the key' })
 * const job = await extraction.submit({ file: 'invoice.pdf' })
 * const done = await job.wait()
 * console.log(await done.text())
 * ```
 *
 * Creating a client opens no connections. Secrets never appear in logs, errors, events or `inspect` output.
 *
 * @public
 */
export class Extraction {
  /** All operations, exactly as on the wire. Each method makes one call. */
  readonly api: ExtractionApi
  /** The operations of `api`, but each method also returns the status, headers, request id, quota and raw body. */
  readonly withResponse: ExtractionApiWithResponse
  readonly #client: Client
  readonly #waits: Waits

  /** @throws OptionsError if an option is missing, unknown or invalid. */
  constructor(options: ExtractionOptions) {
    const clientOptions = toClientOptions(options)
    const { budget, observe } = requestBudget(options)
    this.#client = createClient({ ...clientOptions, observe })
    this.#waits = new Waits(this.#client, budget, options)
    this.api = extractionApi(async (operation, input, call) => {
      checkRules(operation, input)
      return this.#client.send(operation, input, call)
    })
    this.withResponse = extractionApiWithResponse(async (operation, input, call) => {
      checkRules(operation, input)
      return this.#client.exchange(operation, input, call)
    })
  }

  /**
   * Creates a client from `EXTRACTION_BASE_URL` and `EXTRACTION_API_KEY`. Only this method reads the environment.
   *
   * @example
   * ```ts
   * const extraction = Extraction.fromEnv({ timeoutMs: 30_000 })
   * ```
   * @param options - Options of the client. They override the environment.
   * @param env - The variables to read. Default: `process.env`.
   * @throws OptionsError if the base URL is missing.
   */
  static fromEnv(
    options: Partial<ExtractionOptions> = {},
    env?: Readonly<Record<string, string | undefined>>,
  ): Extraction {
    return new Extraction({ ...readEnv(env, options.baseUrl), ...options })
  }

  /** Sends the operation that a descriptor describes, and returns the body of the success response. */
  get send(): Client['send'] {
    return this.#client.send.bind(this.#client)
  }

  /** Sends the operation that a descriptor describes, and returns the whole response. */
  get exchange(): Client['exchange'] {
    return this.#client.exchange.bind(this.#client)
  }

  /**
   * Submits a document and returns a handle for its job, without waiting for the job to end.
   *
   * @example
   * ```ts
   * const schema = { type: 'object', properties: { total: { type: 'number' } } }
   * const job = await extraction.submit({ file: 'invoice.pdf', schema })
   * const { result } = await job.wait({ deadline: '10m' })
   * ```
   * @param submission - The document, and what to read from it.
   * @param options - Options of the call, and polling delays and limits.
   * @throws RequestInvalidError or OptionsError, before anything is sent, for an unknown file type, a missing file,
   * `schema` together with `blueprint_id`, or a webhook URL that is not HTTPS.
   * @throws SubmissionUncertainError if it is unknown whether the document was accepted. The document is not sent
   * again.
   * @throws PageLimitError, PayloadTooLargeError or RateLimitedError if a limit of the plan is exceeded.
   * @see `specs/extraction/openapi.yaml#/paths/~1v1~1process/post`
   */
  submit<
    Schema extends ExtractionSchema,
    Fields extends StandardSchema = Schema extends StandardSchema ? Schema : never,
  >(
    submission: SubmitWithSchema<Schema, Fields>,
    options?: SubmitOptions,
  ): Promise<JobHandle<[Fields] extends [never] ? OpenFields : FieldsOf<Fields>>>
  submit<Fields extends StandardSchema = never>(
    submission: SubmitWithBlueprint<Fields>,
    options?: SubmitOptions,
  ): Promise<JobHandle<[Fields] extends [never] ? OpenFields : FieldsOf<Fields>>>
  submit(submission: SubmitForText, options?: SubmitOptions): Promise<JobHandle<never>>
  async submit(submission: AnySubmission, options: SubmitOptions = {}): Promise<JobHandle<never>> {
    const { polling, ...call } = checkSubmit(options)
    checkSubmission(submission)
    const fields = fieldsOf(submission)
    const loading = { operation: processDocument.id, signal: call.signal }
    // Loads the polling code before anything is sent: without that code, the caller couldn't wait for the job.
    const [{ toProcessInput }] = await Promise.all([
      load(import('./process-input.ts'), loading),
      loadPolling(loading),
    ])
    const input = await toProcessInput(submission)
    const { id, data } = await submit(this.#client, processDocument, input, call)
    return this.#waits.jobs(fields).handle(id, { status: data?.status, polling })
  }

  /**
   * Returns a handle for the job with this id. Nothing is polled before the first wait.
   *
   * @example
   * ```ts
   * const done = await extraction.job('0b6f2c1e-6d0a-4a53-9d7e-2f1f0a4f5c11').wait()
   * ```
   * @param id - The id of the job.
   * @param options - A schema for the extracted fields, and polling delays and limits.
   */
  job<Fields extends StandardSchema = never>(
    id: JobId,
    options: ResumeOptions<Fields> = {},
  ): JobHandle<[Fields] extends [never] ? OpenFields : FieldsOf<Fields>> {
    checkOptionNames(options, RESUME_OPTIONS, 'options')
    return this.#waits.jobs(options.fields).attach(id, { polling: options.polling }) as never
  }

  /**
   * Returns a handle for the job that a resume token identifies. A token also works in another process and with newer
   * versions of this package.
   *
   * @example
   * ```ts
   * const token = job.resumeToken()
   * // later, in another process:
   * const done = await extraction.resume(token).wait()
   * ```
   * @param token - The result of a handle's `resumeToken()`.
   * @param options - A schema for the extracted fields, and polling delays and limits.
   * @throws OptionsError if the token is incomplete, doesn't identify a job, or was made by a newer version.
   */
  resume<Fields extends StandardSchema = never>(
    token: string,
    options: ResumeOptions<Fields> = {},
  ): JobHandle<[Fields] extends [never] ? OpenFields : FieldsOf<Fields>> {
    checkOptionNames(options, RESUME_OPTIONS, 'options')
    return this.#waits.jobs(options.fields).resume(token, { polling: options.polling }) as never
  }

  /**
   * Fetches the public preview that a token identifies. How to obtain a token is not documented.
   *
   * @example
   * ```ts
   * const { pages } = await extraction.preview('the token of a preview')
   * ```
   * @param token - The token of the preview.
   * @param options - Options of the call.
   */
  async preview(token: string, options?: CallOptions): Promise<Preview> {
    const document = await this.api.getPreview({ path: { token } }, options)
    // Rejects an HTML page or an error message that is sent instead of an image.
    const accepts = canBeMedia
    return toPreview(document, (url, reading) => readBlob(this.#client, url, { accepts, ...reading }))
  }

  /**
   * Gets an API key, so that the user doesn't have to copy one. Shows the user a URL and a code, waits for approval,
   * and passes the key to `save`. The client needs no API key for this method.
   *
   * @example
   * ```ts
   * const key = await extraction.authorizeDevice({
   *   agentName: 'invoice-import',
   *   onPrompt: ({ verification_uri, user_code }) => console.log(`Open ${verification_uri} and enter ${user_code}`),
   *   save: (key) => vault.write('extraction-key', key),
   * })
   * ```
   * @param options - The name to show to the user, how to show the URL, and where to store the key.
   * @throws AuthorizationError if the user denies the request or the code expires.
   */
  async authorizeDevice(options: DeviceAuthorizationOptions): Promise<AuthorizedKey> {
    const { authorizeDevice } = await load(import('./device.ts'), options)
    return authorizeDevice(this.#client, options)
  }

  /**
   * Starts an optimization run and returns a handle for it.
   *
   * @example
   * ```ts
   * const run = await extraction.optimize(request)
   * const optimized = await (await run.wait()).schema()
   * ```
   * @param request - The name of the blueprint to create, the training documents, the expected values of each
   * document, and optional limits such as `max_cost_usd`.
   * @param options - Options of the call, and polling delays and limits.
   * @throws RequestInvalidError if `ground_truth_data` and `training_documents` differ in length.
   * @throws OptionsError, before anything is sent, if `request` has an undocumented field. To send one, use the
   * option `extra.body`.
   * @throws SubmissionUncertainError if it is unknown whether the run was started. The run is not started again.
   */
  async optimize(request: OptimizationRequest, options: SubmitOptions = {}): Promise<OptimizationHandle> {
    const { polling, ...call } = checkSubmit(options)
    checkOptimization(request)
    checkGroundTruth(request)
    await loadPolling({ operation: startOptimization.id, signal: call.signal })
    const { id, data } = await submit(this.#client, startOptimization, { body: request }, call)
    return this.#waits.optimizations.handle(id, {
      status: data?.status,
      polling,
      extra: data === undefined ? {} : { blueprint_id: data.blueprint_id },
    })
  }

  /**
   * Returns a handle for the optimization run with this `job_id`.
   *
   * @example
   * ```ts
   * const done = await extraction.optimization('the job_id of a run').wait()
   * const optimized = await done.schema()
   * ```
   * @param id - The `job_id` of the run.
   * @param options - Polling delays and limits.
   */
  optimization(id: OptimizationId, options: OptimizationHandleOptions = {}): OptimizationHandle {
    checkOptionNames(options, HANDLE_OPTIONS, 'options')
    return this.#waits.optimizations.attach(id, options)
  }

  /**
   * Returns a handle for the optimization run that a resume token identifies. (To make the service resume a failed
   * run, call `api.resumeOptimization`.)
   *
   * @example
   * ```ts
   * const token = run.resumeToken()
   * const done = await extraction.optimizationFrom(token).wait()
   * ```
   * @param token - The result of a handle's `resumeToken()`.
   * @param options - Polling delays and limits.
   */
  optimizationFrom(token: string, options: OptimizationHandleOptions = {}): OptimizationHandle {
    checkOptionNames(options, HANDLE_OPTIONS, 'options')
    return this.#waits.optimizations.resume(token, options)
  }

  /**
   * If the client is waiting for this job, it polls the job immediately. The client takes the status of the job from
   * this poll, not from `job`.
   *
   * @example
   * ```ts
   * extraction.wake({ id: '0b6f2c1e-6d0a-4a53-9d7e-2f1f0a4f5c11' })
   * ```
   * @param job - The job, or an object with its id, such as `{ id: body.job_id }` for the body of a webhook call.
   */
  wake(job: Pick<Job, 'id'>): void {
    this.#waits.wake(job.id)
  }

  /** Closes all connections and ends all waits. */
  async close(): Promise<void> {
    this.#waits.close()
    await this.#client.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/** Options of a handle for a job. @public */
export interface ResumeOptions<Fields extends StandardSchema = StandardSchema> {
  /** The Standard Schema for the extracted values. It sets their types, and the client checks the values with it. */
  readonly fields?: Fields
  /** Polling delays and limits for this job. They override the client's. */
  readonly polling?: PollingOptions
}

const RESUME_OPTIONS: OptionNames<ResumeOptions> = { fields: true, polling: true }

/** Options of a handle for an optimization run. @public */
export interface OptimizationHandleOptions {
  /** Polling delays and limits for this run. They override the client's. */
  readonly polling?: PollingOptions
}

const HANDLE_OPTIONS: OptionNames<OptimizationHandleOptions> = { polling: true }
const SUBMIT_OPTIONS: OptionNames<SubmitOptions> = { ...CALL_OPTIONS, polling: true }

function checkSubmit(options: SubmitOptions): SubmitOptions {
  checkOptionNames(options, SUBMIT_OPTIONS, 'options')
  checkPollingNames(options.polling, 'polling')
  return options
}

function checkRules(operation: OperationDescriptor<unknown, unknown>, input: unknown): void {
  if (operation.id === startOptimization.id)
    checkGroundTruth((input as StartOptimizationInput | undefined)?.body)
}
