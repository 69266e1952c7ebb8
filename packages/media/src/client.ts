import {
  CALL_OPTIONS,
  checkOptionNames,
  checkPollingNames,
  clientRetry,
  createClient,
  load,
  remedyOf,
  requiredString,
  submit,
  type CallOptions,
  type Client,
  type PollingOptions,
  type OptionNames,
} from '@concord/runtime'
import type {
  CreateUploadRequest,
  Organization,
  Upload,
  UsageHistory,
  UsageQuery,
} from '@concord/media-validators'

import { Avatars } from './avatars.ts'
import type { BatchTools } from './batch/batch.ts'
import type { BatchJournal, BatchRequest } from './batch/journal.ts'
import type { BatchEstimate, BatchOptions, BatchReport, ResumeBatchOptions } from './batch/options.ts'
import { estimateCredits, type CreditBasis, type CreditEstimate } from './credits.ts'
import { Documents } from './documents.ts'
import { readEnv } from './env.ts'
import { refused } from './errors.ts'
import { mediaApi, mediaApiWithResponse, type MediaApi, type MediaApiWithResponse } from './gen/api.gen.ts'
import { createUpload, getOrganization, queryUsage } from './gen/operations.gen.ts'
import type { InputSettings } from './inputs.ts'
import { isContent } from './open-fields.ts'
import { toClientOptions, type MediaOptions } from './options.ts'
import { checkPolicy, type RegeneratePolicy } from './regenerate.ts'
import {
  GENERATIONS,
  prepareRequest,
  type GenerationName,
  type GenerationRequest,
  type PreparedRequest,
} from './requests.ts'
import { Sessions } from './sessions.ts'
import { MediaTask } from './task.ts'
import type { TaskHandle } from './task-handle.ts'
import { withVersion, type Wire } from './version.ts'
import { ONE_ATTEMPT, Waits } from './waits.ts'

/** What can be set for one generation. @public */
export interface GenerateOptions extends CallOptions {
  /** Delays and limits for the waits on this task, in place of the client's. */
  readonly polling?: PollingOptions
  /** Lets waits on this task submit it again if a retry can help; each time costs credits again. Default: never. */
  readonly regenerate?: RegeneratePolicy
}

/** What can be set for a handle on a task. @public */
export interface HandleOptions {
  /** Delays and limits for the waits on this task, in place of the client's. */
  readonly polling?: PollingOptions
}

const HANDLE_OPTIONS: OptionNames<HandleOptions> = { polling: true }
const GENERATE_OPTIONS: OptionNames<GenerateOptions> = { ...CALL_OPTIONS, polling: true, regenerate: true }

/** Rejects unknown options, so that a misspelt one is never ignored. */
function checkHandle(options: HandleOptions): void {
  checkOptionNames(options, HANDLE_OPTIONS, 'options')
  checkPollingNames(options.polling, 'polling')
}

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
  /** Every operation exactly as on the wire: one call, nothing added but the two headers. */
  readonly api: MediaApi
  /** The same operations, each returning status, headers, request id and the raw body. */
  readonly withResponse: MediaApiWithResponse
  /** Characters for real-time conversations. */
  readonly avatars: Avatars
  /** Real-time sessions with avatars. */
  readonly sessions: Sessions
  /** Knowledge for avatars. */
  readonly documents: Documents
  readonly #client: Client
  readonly #wire: Wire
  readonly #waits: Waits
  readonly #inputs: InputSettings

  /** @throws OptionsError when an option is missing, unknown or cannot be used. */
  constructor(options: MediaOptions) {
    this.#client = createClient(toClientOptions(options))
    const wire = (this.#wire = withVersion(this.#client, options.serviceVersion))
    this.#waits = new Waits(this.#client, wire, options)
    this.#inputs = { uploader: options.uploader, checked: options.inputRules !== 'unchecked' }
    this.api = mediaApi((operation, input, call) => wire.send(operation, input, call))
    this.withResponse = mediaApiWithResponse((operation, input, call) =>
      wire.exchange(operation, input, call),
    )
    this.avatars = new Avatars(wire, this.#inputs)
    this.sessions = new Sessions(this.#client, wire, this.#waits, options)
    this.documents = new Documents(wire)
  }

  /**
   * Makes a client from `MEDIA_BASE_URL` and `MEDIA_API_SECRET`. Nothing is read from the environment unless this is
   * called; options given here come first.
   *
   * @throws OptionsError when there is no address.
   */
  static fromEnv(
    options: Partial<MediaOptions> = {},
    env?: Readonly<Record<string, string | undefined>>,
  ): Media {
    return new Media({ ...readEnv(env, options.baseUrl), ...options })
  }

  /** Sends one operation by its descriptor and returns the body of its success. */
  get send(): Client['send'] {
    return this.#wire.send.bind(this.#wire)
  }

  /** Sends one operation by its descriptor and returns the whole answer. */
  get exchange(): Client['exchange'] {
    return this.#wire.exchange.bind(this.#wire)
  }

  /**
   * Makes a video from an image, or, with a model that takes it, from text. `gen4_turbo` requires an image.
   *
   * @example
   * ```ts
   * const task = await media.imageToVideo({ model: 'gen4_turbo', promptImage: file('harbour.png'), duration: 5 })
   * ```
   * @throws RequestInvalidError before anything is sent, such as for a missing input or a misspelt field.
   * @throws SubmissionUncertainError when the answer was lost; RateLimitedError when the daily quota is exceeded.
   */
  imageToVideo(request: GenerationRequest<'imageToVideo'>, options?: GenerateOptions): Promise<TaskHandle> {
    return this.#generate('imageToVideo', request, options)
  }

  /**
   * Makes a video from text.
   *
   * @example
   * ```ts
   * const task = await media.textToVideo({ model: 'gen4.5', promptText: 'a paper boat in rain', duration: 5 })
   * ```
   * @throws RequestInvalidError before anything is sent, such as for a missing input or a misspelt field.
   * @throws SubmissionUncertainError when the answer was lost; RateLimitedError when the daily quota is exceeded.
   */
  textToVideo(request: GenerationRequest<'textToVideo'>, options?: GenerateOptions): Promise<TaskHandle> {
    return this.#generate('textToVideo', request, options)
  }

  /**
   * Makes a video from a video plus text or an image. The field of the video has no documented name: pass it in `fields`, as
   * `video(...)`.
   *
   * @example
   * ```ts
   * const fields = { 'the-field-that-you-know': video('https://assets.example/boat.mp4') }
   * const task = await media.videoToVideo({ model: 'gen4_aleph', promptText: 'at night', fields })
   * ```
   * @throws RequestInvalidError before anything is sent, such as for a missing input or a misspelt field.
   * @throws SubmissionUncertainError when the answer was lost; RateLimitedError when the daily quota is exceeded.
   */
  videoToVideo(request: GenerationRequest<'videoToVideo'>, options?: GenerateOptions): Promise<TaskHandle> {
    return this.#generate('videoToVideo', request, options)
  }

  /**
   * Makes a character perform, from an image or a video. All fields but `model` have no documented name: pass them in `fields`.
   *
   * @example
   * ```ts
   * const fields = { 'the-field-that-you-know': image(file('face.png')) }
   * const task = await media.characterPerformance({ model: 'act_two', fields })
   * ```
   * @throws RequestInvalidError before anything is sent, such as for a missing input or a misspelt field.
   * @throws SubmissionUncertainError when the answer was lost; RateLimitedError when the daily quota is exceeded.
   */
  characterPerformance(
    request: GenerationRequest<'characterPerformance'>,
    options?: GenerateOptions,
  ): Promise<TaskHandle> {
    return this.#generate('characterPerformance', request, options)
  }

  /**
   * Makes an image from text.
   *
   * @example
   * ```ts
   * const task = await media.textToImage({ model: 'gen4_image', promptText: 'a lighthouse at dusk' })
   * ```
   * @throws RequestInvalidError before anything is sent, such as for a missing input or a misspelt field.
   * @throws SubmissionUncertainError when the answer was lost; RateLimitedError when the daily quota is exceeded.
   */
  textToImage(request: GenerationRequest<'textToImage'>, options?: GenerateOptions): Promise<TaskHandle> {
    return this.#generate('textToImage', request, options)
  }

  /**
   * Makes speech from text. All fields but `model` have no documented name: pass them in `fields`.
   *
   * @example
   * ```ts
   * const fields = { 'the-field-that-you-know': 'The ferry leaves at nine.' }
   * const task = await media.textToSpeech({ model: 'audio_multilingual_v2', fields })
   * ```
   * @throws RequestInvalidError before anything is sent, such as for a missing input or a misspelt field.
   * @throws SubmissionUncertainError when the answer was lost; RateLimitedError when the daily quota is exceeded.
   */
  textToSpeech(request: GenerationRequest<'textToSpeech'>, options?: GenerateOptions): Promise<TaskHandle> {
    return this.#generate('textToSpeech', request, options)
  }

  /**
   * Makes a sound effect. All fields but `model` have no documented name: pass them in `fields`.
   *
   * @example
   * ```ts
   * const fields = { 'the-field-that-you-know': 'rain on a tin roof' }
   * const task = await media.soundEffect({ model: 'audio_text_to_sound_v2', fields })
   * ```
   * @throws RequestInvalidError before anything is sent, such as for a missing input or a misspelt field.
   * @throws SubmissionUncertainError when the answer was lost; RateLimitedError when the daily quota is exceeded.
   */
  soundEffect(request: GenerationRequest<'soundEffect'>, options?: GenerateOptions): Promise<TaskHandle> {
    return this.#generate('soundEffect', request, options)
  }

  /**
   * Isolates the voice of a recording. All fields but `model` have no documented name: pass them in `fields`.
   *
   * @example
   * ```ts
   * const fields = { 'the-field-that-you-know': audio(file('voice.mp3')) }
   * const task = await media.voiceIsolation({ model: 'audio_voice_isolation', fields })
   * ```
   * @throws RequestInvalidError before anything is sent, such as for a missing input or a misspelt field.
   * @throws SubmissionUncertainError when the answer was lost; RateLimitedError when the daily quota is exceeded.
   */
  voiceIsolation(
    request: GenerationRequest<'voiceIsolation'>,
    options?: GenerateOptions,
  ): Promise<TaskHandle> {
    return this.#generate('voiceIsolation', request, options)
  }

  /**
   * Dubs a recording into another language. All fields but `model` have no documented name: pass them in `fields`.
   *
   * @example
   * ```ts
   * const fields = { 'the-field-that-you-know': audio(file('voice.mp3')) }
   * const task = await media.voiceDubbing({ model: 'audio_voice_dubbing', fields })
   * ```
   * @throws RequestInvalidError before anything is sent, such as for a missing input or a misspelt field.
   * @throws SubmissionUncertainError when the answer was lost; RateLimitedError when the daily quota is exceeded.
   */
  voiceDubbing(request: GenerationRequest<'voiceDubbing'>, options?: GenerateOptions): Promise<TaskHandle> {
    return this.#generate('voiceDubbing', request, options)
  }

  /**
   * Converts a recording to another voice. All fields but `model` have no documented name: pass them in `fields`.
   *
   * @example
   * ```ts
   * const fields = { 'the-field-that-you-know': audio(file('voice.mp3')) }
   * const task = await media.speechToSpeech({ model: 'audio_multilingual_sts_v2', fields })
   * ```
   * @throws RequestInvalidError before anything is sent, such as for a missing input or a misspelt field.
   * @throws SubmissionUncertainError when the answer was lost; RateLimitedError when the daily quota is exceeded.
   */
  speechToSpeech(
    request: GenerationRequest<'speechToSpeech'>,
    options?: GenerateOptions,
  ): Promise<TaskHandle> {
    return this.#generate('speechToSpeech', request, options)
  }

  /**
   * Returns a handle on a task by its id. The first poll is sent with the first wait.
   *
   * @throws OptionsError when the id isn't a string, or an option is unknown.
   */
  task(id: string, options: HandleOptions = {}): TaskHandle {
    requiredString(id, 'id', 'Pass the id of the task.')
    checkHandle(options)
    return new MediaTask(this.#waits.tasks.attach(id, { ...options, extra: {} }), this.#waits)
  }

  /**
   * Returns a handle on a task from a resume token, also in another process and after an upgrade.
   *
   * @throws OptionsError when the token is not whole, is not of a task, or was made by a newer version.
   */
  resume(token: string, options: HandleOptions = {}): TaskHandle {
    checkHandle(options)
    const found = this.#waits.tasks.resume(token, options)
    return found.extra === undefined ? this.task(found.id, options) : new MediaTask(found, this.#waits)
  }

  /**
   * Submits many requests, waits for all of them, and stores what they made. A request that fails does not end the others:
   * the report has an outcome for each.
   *
   * With a `journal` it survives its process: every submission is recorded before it is sent, and the id of its task as
   * soon as it is known. The same call in a new process goes on where the last one was, as does {@link Media.resumeBatch}.
   * Nothing is submitted twice; a submission whose answer was lost is reported as `uncertain`.
   *
   * @example
   * ```ts
   * const report = await media.batch(requests, {
   *   journal: fileJournal('boats.journal'),
   *   store: { folder: 'boats' },
   *   maxCredits: 5_000,
   * })
   * ```
   * @throws OptionsError for options that can't be used, and for a journal that can't be; an error of a callback or of the
   * journal; the signal's own reason on abort. Nothing else.
   */
  async batch(requests: readonly BatchRequest[], options: BatchOptions = {}): Promise<BatchReport> {
    const { runBatch } = await load(import('./batch/run.ts'), { operation: 'batch', signal: options?.signal })
    return runBatch(this.#batchTools(), requests, options)
  }

  /**
   * Goes on with the batch in a journal after its process has ended, at whatever moment. The requests are in the journal;
   * options are not, so pass them again. Requests whose outcome is final are in the report, too.
   *
   * @throws OptionsError when the journal holds no batch, and whatever {@link Media.batch} throws.
   */
  async resumeBatch(journal: BatchJournal, options: ResumeBatchOptions = {}): Promise<BatchReport> {
    const { runBatch } = await load(import('./batch/run.ts'), {
      operation: 'resumeBatch',
      signal: options?.signal,
    })
    return runBatch(this.#batchTools(), undefined, { ...options, journal })
  }

  /**
   * Prices a batch without sending it, and finds the requests that would be rejected before they are sent. Inputs are
   * neither read nor uploaded.
   *
   * @throws OptionsError when `requests` is not an array.
   */
  async estimateBatch(requests: readonly BatchRequest[]): Promise<BatchEstimate> {
    const { estimateRequests } = await load(import('./batch/run.ts'), { operation: 'estimateBatch' })
    return estimateRequests(requests, (item) =>
      this.#prepare(item?.operation, item?.request, undefined, true),
    )
  }

  /** Estimates what a generation costs. See {@link estimateCredits}. */
  estimateCredits(basis: CreditBasis): CreditEstimate {
    return estimateCredits(basis)
  }

  /**
   * Creates an ephemeral upload: asks for a handle, and sends no file. How the bytes get there is not documented; see
   * `uploader`.
   */
  async createUpload(request: CreateUploadRequest, options?: CallOptions): Promise<Upload> {
    if (isContent(request))
      throw refused(
        createUpload.id,
        '/body',
        'is the content of a file; the request is JSON, and how the bytes travel is not documented',
      )
    return this.#wire.send(createUpload, { body: request }, options)
  }

  /** Reads the organization and its credit balance. Their names are not documented. */
  organization(options?: CallOptions): Promise<Organization> {
    return this.#wire.send(getOrganization, {}, options)
  }

  /** Reads the credit usage of up to 90 days. How a range of days is asked for is not documented. */
  usage(query: UsageQuery = {}, options?: CallOptions): Promise<UsageHistory> {
    return this.#wire.send(queryUsage, { body: query }, options)
  }

  /** Ends all connections and waits. */
  async close(): Promise<void> {
    this.#waits.close()
    await this.#client.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #batchTools(): BatchTools {
    const waits = this.#waits
    const { tasks } = waits
    return {
      terms: clientRetry(this.#client, 'batch'),
      prepare: (item, signal) => this.#prepare(item?.operation, item?.request, signal),
      send: async ({ operation, body }, signal) =>
        (await submit(this.#wire, operation, { body }, { ...ONE_ATTEMPT, signal })).id,
      attach(id, { operation }, isNew) {
        const start = { extra: { operation } }
        return new MediaTask(isNew ? tasks.handle(id, start) : tasks.attach(id, start), waits)
      },
    }
  }

  async #generate(
    name: GenerationName,
    request: GenerationRequest,
    options: GenerateOptions = {},
  ): Promise<TaskHandle> {
    checkOptionNames(options, GENERATE_OPTIONS, 'options')
    checkPolicy(options.regenerate)
    checkPollingNames(options.polling, 'polling')
    return this.#submit(await this.#prepare(name, request, options.signal), options)
  }

  #prepare(
    name: GenerationName,
    request: GenerationRequest,
    signal: AbortSignal | undefined,
    dry = false,
  ): Promise<PreparedRequest> {
    if (!GENERATIONS.includes(name)) {
      throw refused(
        typeof name === 'string' ? name : 'batch',
        '/operation',
        `is not a generation; these are: ${GENERATIONS.join(', ')}`,
      )
    }
    return prepareRequest(name, request, this.#inputs, { signal, dry })
  }

  async #submit(request: PreparedRequest, options: GenerateOptions): Promise<TaskHandle> {
    const { polling, regenerate, ...call } = options
    const { name, operation } = request
    const send = async (body: Readonly<Record<string, unknown>>, own: CallOptions) => {
      const { id } = await submit(this.#wire, operation, { body }, own)
      return this.#waits.tasks.handle(id, { polling, extra: { operation: name } })
    }
    const task = await send(request.body, call)
    return new MediaTask(task, this.#waits, {
      operation: operation.id,
      path: operation.path,
      remedy: remedyOf(operation),
      body: request.body,
      policy: regenerate,
      // A signal of the submission is over with it; from now on it counts whether anything waits for the task.
      submit: (body, signal) => send(body, { ...call, signal }),
    })
  }
}
