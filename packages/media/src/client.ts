import { createClient, type CallOptions, type Client } from '@concord/runtime'
import { load } from '@concord/runtime/internal'
import type {
  CreateUploadRequest,
  Organization,
  Upload,
  UsageHistory,
  UsageQuery,
} from '@concord/media-validators'

import { Avatars, Documents } from './avatars.ts'
import type { BatchJournal, BatchRequest } from './batch/journal.ts'
import type { BatchEstimate, BatchOptions, BatchReport, ResumeBatchOptions } from './batch/options.ts'
import { estimateCredits, type CreditBasis, type CreditEstimate } from './credits.ts'
import { invalidRequest } from './errors.ts'
import { mediaApi, mediaApiWithResponse, type MediaApi, type MediaApiWithResponse } from './gen/api.gen.ts'
import { createUpload, getOrganization, queryUsage } from './gen/operations.gen.ts'
import { isContent } from './inputs.ts'
import { readEnv, toClientOptions, type MediaOptions } from './options.ts'
import type { GenerationRequest } from './requests.ts'
import { Sessions } from './sessions.ts'
import { Submissions, type GenerateOptions, type HandleOptions } from './submissions.ts'
import type { TaskHandle } from './task.ts'
import { withVersion, type Wire } from './version.ts'
import { Waits } from './waits.ts'

/**
 * The client of the media generation service.
 *
 * @example
 * ```ts
 * import { Media } from '@concord/media'
 *
 * const media = new Media({ baseUrl: 'https://media.example', apiSecret: () => 'the secret' })
 * const task = await media.textToVideo({ model: 'gen4.5', promptText: 'a paper boat in rain', duration: 5 })
 * const { outputs } = await task.wait()
 * await outputs[0]?.save('film.mp4')
 * ```
 *
 * Creating a client opens no connections. Secrets never appear in logs, errors, events or `inspect` output.
 *
 * @public
 */
export class Media {
  /**
   * All operations, with the service's own parameters and bodies. Each method makes one call and adds only the two
   * required headers: one for the authorization, one for the version.
   */
  readonly api: MediaApi
  /** The same operations, but each method also returns the status, the headers, the request id and the body as received. */
  readonly withResponse: MediaApiWithResponse
  /** Characters for real-time conversations. */
  readonly avatars: Avatars
  /** Real-time sessions with avatars. */
  readonly sessions: Sessions
  /** Documents that avatars use as knowledge. */
  readonly documents: Documents
  readonly #client: Client
  readonly #wire: Wire
  readonly #waits: Waits
  readonly #submissions: Submissions

  /** @throws OptionsError if an option is missing, unknown or invalid. */
  constructor(options: MediaOptions) {
    this.#client = createClient(toClientOptions(options))
    const wire = (this.#wire = withVersion(this.#client, options.serviceVersion))
    this.#waits = new Waits(this.#client, wire, options)
    const inputs = { uploader: options.uploader, checked: options.inputRules !== 'unchecked' }
    this.#submissions = new Submissions(this.#client, wire, this.#waits, inputs)
    this.api = mediaApi((operation, input, call) => wire.send(operation, input, call))
    this.withResponse = mediaApiWithResponse((operation, input, call) =>
      wire.exchange(operation, input, call),
    )
    this.avatars = new Avatars(wire, inputs)
    this.sessions = new Sessions(this.#client, wire, this.#waits, options)
    this.documents = new Documents(wire)
  }

  /**
   * Creates a client from `MEDIA_BASE_URL` and `MEDIA_API_SECRET`. Only this method reads the environment.
   *
   * @example
   * ```ts
   * const media = Media.fromEnv({ timeoutMs: 30_000 })
   * ```
   * @param options - Options of the client. They override the environment.
   * @param env - The variables to read. Default: `process.env`.
   * @throws OptionsError if the base URL is missing.
   */
  static fromEnv(
    options: Partial<MediaOptions> = {},
    env?: Readonly<Record<string, string | undefined>>,
  ): Media {
    return new Media({ ...readEnv(env, options.baseUrl), ...options })
  }

  /** Sends one operation, such as the exported `getTask`, and returns the body of the success response. */
  get send(): Client['send'] {
    return this.#wire.send.bind(this.#wire)
  }

  /** Sends one operation, such as the exported `getTask`, and returns the whole response. */
  get exchange(): Client['exchange'] {
    return this.#wire.exchange.bind(this.#wire)
  }

  /**
   * Makes a video from an image, or from text if the model supports that. `gen4_turbo` requires an image.
   *
   * @example
   * ```ts
   * const task = await media.imageToVideo({ model: 'gen4_turbo', promptImage: file('harbor.png'), duration: 5 })
   * ```
   * @param request - The model and its inputs.
   * @param options - Options of the call, how to poll the task, and whether to submit it again after a failure.
   * @throws RequestInvalidError before anything is sent, such as for a missing input or a misspelled field.
   * @throws SubmissionUncertainError if the response was lost, unreadable or a 5xx: the task may exist and be charged.
   * @throws RateLimitedError if the daily quota is exceeded.
   */
  imageToVideo(request: GenerationRequest<'imageToVideo'>, options?: GenerateOptions): Promise<TaskHandle> {
    return this.#submissions.generate('imageToVideo', request, options)
  }

  /**
   * Makes a video from text.
   *
   * @example
   * ```ts
   * const task = await media.textToVideo({ model: 'gen4.5', promptText: 'a paper boat in rain', duration: 5 })
   * ```
   * @param request - The model and its inputs.
   * @param options - Options of the call, how to poll the task, and whether to submit it again after a failure.
   * @throws RequestInvalidError before anything is sent, such as for a missing input or a misspelled field.
   * @throws SubmissionUncertainError if the response was lost, unreadable or a 5xx: the task may exist and be charged.
   * @throws RateLimitedError if the daily quota is exceeded.
   */
  textToVideo(request: GenerationRequest<'textToVideo'>, options?: GenerateOptions): Promise<TaskHandle> {
    return this.#submissions.generate('textToVideo', request, options)
  }

  /**
   * Makes a video from another video, together with text or an image. The name of the field for the input video is
   * not documented, so pass this video in `fields`, as `video(...)`.
   *
   * @example
   * ```ts
   * const fields = { 'the-field-that-you-know': video('https://assets.example/boat.mp4') }
   * const task = await media.videoToVideo({ model: 'gen4_aleph', promptText: 'at night', fields })
   * ```
   * @param request - The model and its inputs.
   * @param options - Options of the call, how to poll the task, and whether to submit it again after a failure.
   * @throws RequestInvalidError before anything is sent, such as for a missing input or a misspelled field.
   * @throws SubmissionUncertainError if the response was lost, unreadable or a 5xx: the task may exist and be charged.
   * @throws RateLimitedError if the daily quota is exceeded.
   */
  videoToVideo(request: GenerationRequest<'videoToVideo'>, options?: GenerateOptions): Promise<TaskHandle> {
    return this.#submissions.generate('videoToVideo', request, options)
  }

  /**
   * Animates a character, from an image or a video. Only the field `model` is documented: pass all others in `fields`.
   *
   * @example
   * ```ts
   * const fields = { 'the-field-that-you-know': image(file('face.png')) }
   * const task = await media.characterPerformance({ model: 'act_two', fields })
   * ```
   * @param request - The model and its inputs.
   * @param options - Options of the call, how to poll the task, and whether to submit it again after a failure.
   * @throws RequestInvalidError before anything is sent, such as for a missing input or a misspelled field.
   * @throws SubmissionUncertainError if the response was lost, unreadable or a 5xx: the task may exist and be charged.
   * @throws RateLimitedError if the daily quota is exceeded.
   */
  characterPerformance(
    request: GenerationRequest<'characterPerformance'>,
    options?: GenerateOptions,
  ): Promise<TaskHandle> {
    return this.#submissions.generate('characterPerformance', request, options)
  }

  /**
   * Makes an image from text.
   *
   * @example
   * ```ts
   * const task = await media.textToImage({ model: 'gen4_image', promptText: 'a lighthouse at dusk' })
   * ```
   * @param request - The model and its inputs.
   * @param options - Options of the call, how to poll the task, and whether to submit it again after a failure.
   * @throws RequestInvalidError before anything is sent, such as for a missing input or a misspelled field.
   * @throws SubmissionUncertainError if the response was lost, unreadable or a 5xx: the task may exist and be charged.
   * @throws RateLimitedError if the daily quota is exceeded.
   */
  textToImage(request: GenerationRequest<'textToImage'>, options?: GenerateOptions): Promise<TaskHandle> {
    return this.#submissions.generate('textToImage', request, options)
  }

  /**
   * Makes speech from text. Only the field `model` is documented: pass all others in `fields`.
   *
   * @example
   * ```ts
   * const fields = { 'the-field-that-you-know': 'The ferry leaves at nine.' }
   * const task = await media.textToSpeech({ model: 'audio_multilingual_v2', fields })
   * ```
   * @param request - The model and its inputs.
   * @param options - Options of the call, how to poll the task, and whether to submit it again after a failure.
   * @throws RequestInvalidError before anything is sent, such as for a missing input or a misspelled field.
   * @throws SubmissionUncertainError if the response was lost, unreadable or a 5xx: the task may exist and be charged.
   * @throws RateLimitedError if the daily quota is exceeded.
   */
  textToSpeech(request: GenerationRequest<'textToSpeech'>, options?: GenerateOptions): Promise<TaskHandle> {
    return this.#submissions.generate('textToSpeech', request, options)
  }

  /**
   * Makes a sound effect. Only the field `model` is documented: pass all others in `fields`.
   *
   * @example
   * ```ts
   * const fields = { 'the-field-that-you-know': 'rain on a tin roof' }
   * const task = await media.soundEffect({ model: 'audio_text_to_sound_v2', fields })
   * ```
   * @param request - The model and its inputs.
   * @param options - Options of the call, how to poll the task, and whether to submit it again after a failure.
   * @throws RequestInvalidError before anything is sent, such as for a missing input or a misspelled field.
   * @throws SubmissionUncertainError if the response was lost, unreadable or a 5xx: the task may exist and be charged.
   * @throws RateLimitedError if the daily quota is exceeded.
   */
  soundEffect(request: GenerationRequest<'soundEffect'>, options?: GenerateOptions): Promise<TaskHandle> {
    return this.#submissions.generate('soundEffect', request, options)
  }

  /**
   * Isolates the voice in a recording. Only the field `model` is documented: pass all others in `fields`.
   *
   * @example
   * ```ts
   * const fields = { 'the-field-that-you-know': audio(file('voice.mp3')) }
   * const task = await media.voiceIsolation({ model: 'audio_voice_isolation', fields })
   * ```
   * @param request - The model and its inputs.
   * @param options - Options of the call, how to poll the task, and whether to submit it again after a failure.
   * @throws RequestInvalidError before anything is sent, such as for a missing input or a misspelled field.
   * @throws SubmissionUncertainError if the response was lost, unreadable or a 5xx: the task may exist and be charged.
   * @throws RateLimitedError if the daily quota is exceeded.
   */
  voiceIsolation(
    request: GenerationRequest<'voiceIsolation'>,
    options?: GenerateOptions,
  ): Promise<TaskHandle> {
    return this.#submissions.generate('voiceIsolation', request, options)
  }

  /**
   * Dubs a recording into another language. Only the field `model` is documented: pass all others in `fields`.
   *
   * @example
   * ```ts
   * const fields = { 'the-field-that-you-know': audio(file('voice.mp3')) }
   * const task = await media.voiceDubbing({ model: 'audio_voice_dubbing', fields })
   * ```
   * @param request - The model and its inputs.
   * @param options - Options of the call, how to poll the task, and whether to submit it again after a failure.
   * @throws RequestInvalidError before anything is sent, such as for a missing input or a misspelled field.
   * @throws SubmissionUncertainError if the response was lost, unreadable or a 5xx: the task may exist and be charged.
   * @throws RateLimitedError if the daily quota is exceeded.
   */
  voiceDubbing(request: GenerationRequest<'voiceDubbing'>, options?: GenerateOptions): Promise<TaskHandle> {
    return this.#submissions.generate('voiceDubbing', request, options)
  }

  /**
   * Converts a recording to another voice. Only the field `model` is documented: pass all others in `fields`.
   *
   * @example
   * ```ts
   * const fields = { 'the-field-that-you-know': audio(file('voice.mp3')) }
   * const task = await media.speechToSpeech({ model: 'audio_multilingual_sts_v2', fields })
   * ```
   * @param request - The model and its inputs.
   * @param options - Options of the call, how to poll the task, and whether to submit it again after a failure.
   * @throws RequestInvalidError before anything is sent, such as for a missing input or a misspelled field.
   * @throws SubmissionUncertainError if the response was lost, unreadable or a 5xx: the task may exist and be charged.
   * @throws RateLimitedError if the daily quota is exceeded.
   */
  speechToSpeech(
    request: GenerationRequest<'speechToSpeech'>,
    options?: GenerateOptions,
  ): Promise<TaskHandle> {
    return this.#submissions.generate('speechToSpeech', request, options)
  }

  /**
   * Returns a handle for the task with this id. The first wait polls immediately.
   *
   * @example
   * ```ts
   * const { outputs } = await media.task('the id of a task').wait()
   * ```
   * @param id - The id of the task.
   * @param options - Polling delays and limits.
   * @throws OptionsError if the id isn't a string, or an option is unknown.
   */
  task(id: string, options: HandleOptions = {}): TaskHandle {
    return this.#submissions.task(id, options)
  }

  /**
   * Returns a handle for the task that a resume token identifies. The token also works in other processes, and after
   * an upgrade of this package.
   *
   * @example
   * ```ts
   * const token = task.resumeToken()
   * const { outputs } = await media.resume(token).wait()
   * ```
   * @param token - The result of a handle's `resumeToken()`.
   * @param options - Polling delays and limits.
   * @throws OptionsError if the token is incomplete or doesn't identify a task, or if a newer version of this
   *   package made it.
   */
  resume(token: string, options: HandleOptions = {}): TaskHandle {
    return this.#submissions.resume(token, options)
  }

  /**
   * Submits many requests, waits for their tasks, and stores the outputs. A failed request does not end the batch: the report
   * has an outcome for each request.
   *
   * With a `journal`, a batch survives its process: each submission is recorded before it is sent, and each task's id
   * is recorded as soon as it is known. To resume the batch in a new process, repeat this call with the same requests
   * and the same journal, or call {@link Media.resumeBatch}.
   *
   * A resumed batch never submits an accepted or `uncertain` request again, except to regenerate a failed task. If a
   * request was being sent when the earlier process ended, its outcome is `uncertain`.
   *
   * @example
   * ```ts
   * const report = await media.batch(requests, {
   *   journal: fileJournal('boats.journal'),
   *   store: { folder: 'boats' },
   *   maxCredits: 5_000,
   * })
   * ```
   * @param requests - The operations to call, each with its request.
   * @param options - The journal, limits, storage and callbacks.
   * @throws OptionsError for invalid options, and for an unusable journal.
   * @throws the error of a callback or of the journal, if one occurs while the batch runs.
   * @throws the signal's `reason` if the signal is aborted.
   */
  async batch(requests: readonly BatchRequest[], options: BatchOptions = {}): Promise<BatchReport> {
    const { startBatch } = await loadBatch(options)
    return startBatch(this.#submissions.batchParts(), requests, options)
  }

  /**
   * Resumes the batch in a journal after an earlier process has ended. The journal contains the requests but not the
   * options, so pass the options again. The report includes requests whose outcome is already final.
   *
   * @example
   * ```ts
   * const report = await media.resumeBatch(fileJournal('boats.journal'), { store: { folder: 'boats' } })
   * ```
   * @param journal - The journal of the batch.
   * @param options - As for {@link Media.batch}.
   * @throws OptionsError if the journal is empty, or if the earlier process ended before it recorded all requests.
   * Also throws the same errors as {@link Media.batch}.
   */
  async resumeBatch(journal: BatchJournal, options: ResumeBatchOptions = {}): Promise<BatchReport> {
    const { resumeBatch } = await loadBatch(options)
    return resumeBatch(this.#submissions.batchParts(), journal, options)
  }

  /**
   * Estimates the cost of a batch without sending it, and finds the requests that the client would reject as invalid.
   * Inputs are neither read nor uploaded.
   *
   * @example
   * ```ts
   * const { credits, invalid } = await media.estimateBatch(requests)
   * ```
   * @param requests - The same as for {@link Media.batch}.
   * @throws OptionsError if `requests` is not an array, or if a request's `credits` have no valid `min` and `max`.
   */
  async estimateBatch(requests: readonly BatchRequest[]): Promise<BatchEstimate> {
    const { estimateRequests } = await load(import('./batch/run.ts'))
    return estimateRequests(requests, this.#submissions.batchParts())
  }

  /**
   * Turns a request into plain data for `JSON.stringify`, for example to send it to other processes through a queue.
   * Files from {@link file} are stored as paths, so the other processes must be able to read the same paths.
   *
   * @param request - A request as for {@link Media.batch}.
   * @throws OptionsError for bytes, Blobs and streams, which don't outlive this process, and for values that JSON
   * can't represent.
   */
  async encodeRequest(request: BatchRequest): Promise<unknown> {
    const { encodeRequest } = await load(import('./batch/journal.ts'))
    return encodeRequest(request)
  }

  /** Turns the result of {@link Media.encodeRequest} back into a request. */
  async decodeRequest(value: unknown): Promise<BatchRequest> {
    const { decodeRequest } = await load(import('./batch/journal.ts'))
    return decodeRequest(value)
  }

  /** Estimates the cost of a generation, in credits. See {@link estimateCredits}. */
  estimateCredits(basis: CreditBasis): CreditEstimate {
    return estimateCredits(basis)
  }

  /**
   * Requests an ephemeral upload. Doesn't send the file, because the documentation doesn't say how. See
   * {@link MediaOptions.uploader}.
   *
   * @throws RequestInvalidError if the request is a file, bytes, a Blob or a stream instead of JSON.
   * @throws SubmissionUncertainError if the response was lost, unreadable or a 5xx.
   */
  async createUpload(request: CreateUploadRequest, options?: CallOptions): Promise<Upload> {
    if (isContent(request))
      throw invalidRequest(
        createUpload.id,
        '/body',
        'is a file, bytes, a Blob or a stream; pass JSON, because the way to upload bytes is not documented',
      )
    return this.#wire.send(createUpload, { body: request }, options)
  }

  /** Reads the organization and its credit balance. The field names are not documented. */
  organization(options?: CallOptions): Promise<Organization> {
    return this.#wire.send(getOrganization, {}, options)
  }

  /** Reads the credit usage of up to 90 days. How to request a range of days is not documented. */
  usage(query: UsageQuery = {}, options?: CallOptions): Promise<UsageHistory> {
    return this.#wire.send(queryUsage, { body: query }, options)
  }

  /** Closes all connections and ends all waits in progress. */
  async close(): Promise<void> {
    this.#waits.close()
    await this.#client.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

function loadBatch(options: ResumeBatchOptions) {
  return load(import('./batch/run.ts'), { operation: 'batch', signal: options?.signal })
}
