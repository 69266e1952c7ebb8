import {
  type BinaryInput,
  type CallOptions,
  type ChannelDescriptor,
  type Client,
  type Connection,
  type ConnectOptions,
  ContractDriftError,
  createClient,
  OptionsError,
  type StandardSchema,
  stream,
} from '@concord/runtime'
import type { GrantRequest, SynthesisRequest, TextAnalysisRequest } from '@concord/speech-validators'

import type { AgentRule, VoiceAgent } from './agent.ts'
import type { ConfigureReplies, Conversation } from './conversation.ts'
import {
  speechApi,
  type SpeechApi,
  speechApiWithResponse,
  type SpeechApiWithResponse,
} from './gen/api.gen.ts'
import { analyzeText, grantToken, listModels, listThinkModels, transcribe } from './gen/operations.gen.ts'
import {
  type ConverseOptions,
  type ListenOptions,
  readEnv,
  type SpeechOptions,
  toClientOptions,
} from './options.ts'
import { type RawResponse, type RawRequest, sendRaw } from './raw-request.ts'
import { checkSchema, conform, type Typed, type TypedCallOptions } from './schema.ts'
import { type AudioHint, checkObject, type SpeechSocketOptions } from './socket-options.ts'
import { loadFlows, Sockets } from './sockets.ts'
import type { LiveTranscription } from './audio-socket.ts'
import { spokenAudio, SpokenAudio } from './spoken.ts'
import {
  checkText,
  type SynthesisOptions,
  type SynthesisSettings,
  type SynthesizerOptions,
  type TextSource,
  toSynthesisSettings,
} from './synthesis.ts'
import type { Synthesizer } from './synthesizer.ts'

/** How to request a token, and how to find it in the response. @public */
export interface GrantRule {
  /**
   * Returns the JWT from a grant (the response to a token request). The documentation doesn't show this response, so
   * the client has no default. `presets` has the rule for the emulator.
   */
  readonly token: (grant: unknown) => unknown
  /** The body of the token request, sent as JSON. Its form is not documented. Default: no body. */
  readonly request?: unknown
}

/**
 * The client of the speech service.
 *
 * ```ts
 * import { Speech } from '@concord/speech'
 *
 * const speech = new Speech({ apiUrl: 'https://speech.example', apiKey: () => 'the key' })
 * const transcript = await speech.transcribe('meeting.wav', { model: 'nova-3' })
 * await using live = await speech.listen({ model: 'nova-3' })
 * for await (const event of live) console.log(transcript, event.type)
 * ```
 *
 * Creating a client opens no connections. Secrets never appear in logs, errors, events or `inspect` output.
 *
 * @public
 */
export class Speech {
  /** All operations, exactly as on the wire. Each method makes one call. */
  readonly api: SpeechApi
  /** The methods of `api`, but each also returns the status, the headers, the request id and the body as received. */
  readonly withResponse: SpeechApiWithResponse
  readonly #client: Client
  readonly #sockets: Sockets

  /** @throws OptionsError if an option is missing, unknown or invalid. */
  constructor(options: SpeechOptions) {
    this.#client = createClient(toClientOptions(options))
    this.#sockets = new Sockets(this.#client, options)
    this.api = speechApi((operation, input, call) => this.#client.send(operation, input, call))
    this.withResponse = speechApiWithResponse((operation, input, call) =>
      this.#client.exchange(operation, input, call),
    )
  }

  /**
   * Creates a client from environment variables: `SPEECH_API_URL`, `SPEECH_AGENT_URL`, and `SPEECH_API_KEY` or
   * `SPEECH_ACCESS_TOKEN`. Only this method reads the environment.
   *
   * @example
   * ```ts
   * const speech = Speech.fromEnv({ timeoutMs: 30_000 })
   * ```
   * @param options - Options of the client. They override the environment.
   * @param env - The variables to read. Default: `process.env`.
   * @throws OptionsError if the base URL of the speech service is missing, or an option is unknown or invalid.
   */
  static fromEnv(
    options: Partial<SpeechOptions> = {},
    env?: Readonly<Record<string, string | undefined>>,
  ): Speech {
    return new Speech({ ...readEnv(env, options), ...options } as SpeechOptions)
  }

  /** Sends the operation that a descriptor describes, and returns the body of the success response. */
  get send(): Client['send'] {
    return this.#client.send.bind(this.#client)
  }

  /**
   * Opens one channel by its descriptor. Payloads are exactly as on the wire. Each message is named by its key in the
   * contract.
   *
   * @example
   * ```ts
   * const connection = await speech.connect(liveTranscription, { query: { model: 'nova-3' } })
   * for await (const event of connection) console.log(event.type)
   * ```
   * @param channel - The descriptor of the channel.
   * @param options - Query parameters, and options of the connection.
   * @throws the same as {@link Speech.listen}.
   */
  connect<Query, Sends, Receives>(
    channel: ChannelDescriptor<Query, Sends, Receives>,
    options: ConnectOptions<ChannelDescriptor<Query, Sends, Receives>> = {},
  ): Promise<Connection<ChannelDescriptor<Query, Sends, Receives>>> {
    return this.#sockets.connect(channel, options)
  }

  /** Sends the operation that a descriptor describes, and returns the whole response. */
  get exchange(): Client['exchange'] {
    return this.#client.exchange.bind(this.#client)
  }

  /**
   * Transcribes a recorded file: a path, bytes, a Blob or a stream of any length. In Node, the client never holds a
   * whole file or stream in memory. All options go into the URL; the body contains only the audio.
   *
   * @example
   * ```ts
   * const transcript = await speech.transcribe('meeting.wav', { model: 'nova-3', smart_format: true })
   * ```
   * @param audio - A path, bytes, a Blob or a stream.
   * @param options - The service's options, which go into the URL.
   * @param call - A schema for the transcript, and options of the call.
   * @throws RequestInvalidError before anything is sent; ApiError; ContractDriftError if `schema` rejects the response;
   * SubmissionUncertainError if the response was lost: the client doesn't send the audio again in this case.
   * @see `specs/speech/openapi.yaml#/paths/~1v1~1listen/post`
   */
  async transcribe<Schema extends StandardSchema = never>(
    audio: BinaryInput,
    options: ListenOptions = {},
    { schema, ...call }: TypedCallOptions<Schema> = {},
  ): Promise<Typed<Schema>> {
    checkObject(options)
    checkSchema(schema)
    const transcript = await this.#client.send(transcribe, { query: options, body: audio }, call)
    return conform(schema, transcript, 'transcribe')
  }

  /**
   * Opens live transcription. The client keeps the connection alive during silence.
   *
   * @example
   * ```ts
   * await using live = await speech.listen({ model: 'nova-3' })
   * void live.sendFrom(microphone)
   * for await (const event of live) console.log(event.type)
   * ```
   * @param options - The service's options, which go into the URL.
   * @param socket - Options of the connection, and a schema for the events.
   * @throws RequestInvalidError before a connection is opened; SocketError (`socket-denied`, with status and body) if
   * the service denies the connection (status 429: too many connections are open); ConnectionError, TimeoutError.
   * @see `specs/speech/asyncapi.yaml#/channels/liveTranscription`
   */
  async listen<Schema extends StandardSchema = never>(
    options: ListenOptions = {},
    socket: SpeechSocketOptions<Schema> & AudioHint = {},
  ): Promise<LiveTranscription<Typed<Schema>>> {
    checkObject(options)
    const { openTranscription } = await loadFlows('liveTranscription', socket)
    return openTranscription(this.#sockets, options, socket)
  }

  /**
   * Opens conversational transcription, which detects when a speaker's turn ends. The model is always
   * `flux-general-en`.
   *
   * @example
   * ```ts
   * await using conversation = await speech.converse({ encoding: 'the-encoding-of-the-audio' })
   * void conversation.sendFrom(microphone)
   * for await (const event of conversation) console.log(event.type)
   * ```
   * @param options - The service's options, which go into the URL.
   * @param socket - Options of the connection, and a schema for the events.
   * @throws the same as {@link Speech.listen}.
   * @see `specs/speech/asyncapi.yaml#/channels/conversation`
   */
  async converse<Schema extends StandardSchema = never>(
    options: ConverseOptions = {},
    socket: SpeechSocketOptions<Schema> & AudioHint & { readonly replies?: ConfigureReplies } = {},
  ): Promise<Conversation<Typed<Schema>>> {
    checkObject(options)
    const { openConversation } = await loadFlows('conversation', socket)
    return openConversation(this.#sockets, options, socket)
  }

  /**
   * Synthesizes speech in one call, and returns the audio as it arrives. The form of the request is not documented.
   * Pass the service's options in `options.extra.query`.
   *
   * @example
   * ```ts
   * const spoken = await speech.speak({ text: 'The ferry leaves at nine.' })
   * play(await spoken.bytes())
   * ```
   * @param request - The text, in the form that the service expects.
   * @param options - Options of the call.
   * @throws RequestInvalidError, ApiError, ConnectionError, TimeoutError; SubmissionUncertainError if the response
   * was lost, is empty, or contains HTML, JSON or XML instead of audio.
   * @see `specs/speech/openapi.yaml#/paths/~1v1~1speak/post`
   */
  async speak(request: SynthesisRequest, options?: CallOptions): Promise<SpokenAudio> {
    return new SpokenAudio(await stream(this.#client, spokenAudio, { body: request }, options))
  }

  /**
   * Synthesizes speech with low latency: sends text as it arrives, and yields audio as it arrives. Opens a
   * connection when you start to iterate, and closes it when the iteration ends. Skips empty strings. Slows down when
   * the service reports DATA-0001 (the character rate limit).
   *
   * @example
   * ```ts
   * for await (const audio of speech.speakStream(modelReply(), presets.emulator.synthesis)) play(audio)
   * ```
   * @param text - The text: a string, or strings as they arrive.
   * @param options - How to recognize the end of the audio, and how to pace the text.
   * @throws OptionsError immediately. During the iteration: the errors of {@link Speech.listen}; CharacterRateError;
   * SocketError if the connection ends before everything was spoken; any error of the text source.
   * @see `specs/speech/asyncapi.yaml#/channels/speechStream`
   */
  speakStream<Schema extends StandardSchema = never>(
    text: TextSource,
    options: SynthesisOptions<Schema>,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    checkText(text)
    const settings = toSynthesisSettings(options as SynthesisOptions<StandardSchema>)
    return this.#speakStream(text, settings)
  }

  async *#speakStream(
    text: TextSource,
    settings: SynthesisSettings,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const { synthesisAudio } = await loadFlows('speechStream', settings)
    yield* synthesisAudio(this.#sockets, text, settings, this.#client)
  }

  /**
   * Opens a connection that speaks one text after another and can be interrupted. Use it for conversations in which the
   * listener may start to speak at any time.
   *
   * @example
   * ```ts
   * await using voice = await speech.synthesizer({ ...presets.emulator.synthesis })
   * void voice.speak('The ferry leaves at nine.')
   * for await (const audio of voice) play(audio)
   * ```
   * @param options - How to recognize the end of the audio, and how to pace the text.
   * @throws OptionsError if `spoken` isn't a function; the errors of {@link Speech.listen}.
   * @see `specs/speech/asyncapi.yaml#/channels/speechStream`
   */
  async synthesizer<Schema extends StandardSchema = never>(
    options: SynthesizerOptions<Schema>,
  ): Promise<Synthesizer> {
    const settings = toSynthesisSettings(options as unknown as SynthesizerOptions<StandardSchema>)
    if (settings.spoken === 'close')
      throw new OptionsError(
        'spoken',
        "can't be 'close', because the connection stays open between pieces of text.",
        'Pass a function that recognizes the event at the end of a piece of text, or use speakStream.',
      )
    const { openSynthesizer } = await loadFlows('speechStream', settings)
    return openSynthesizer(this.#sockets, settings, this.#client)
  }

  /**
   * Opens a voice agent and sends its settings. The client holds back all other messages until `acknowledged`
   * recognizes the acknowledgement of the settings, because the service ignores earlier messages.
   *
   * @example
   * ```ts
   * await using agent = await speech.agent({ greeting: 'Hello' }, { ...presets.emulator.agent })
   * void agent.sendFrom(microphone)
   * for await (const event of agent) console.log(event.type)
   * ```
   * @param settings - The settings of the agent, in the form that the service expects.
   * @param options - Options of the connection, and how to recognize the acknowledgement.
   * @throws OptionsError if `acknowledged` isn't a function; the errors of {@link Speech.listen}.
   * @see `specs/speech/asyncapi.yaml#/channels/agent`
   */
  async agent<Schema extends StandardSchema = never>(
    settings: object,
    options: SpeechSocketOptions<Schema> & AgentRule,
  ): Promise<VoiceAgent<Typed<Schema>>> {
    const { openAgent } = await loadFlows('agent', options)
    return openAgent(this.#sockets, settings, options)
  }

  /**
   * Finds summaries, sentiment, topics and intents in text. The forms of the request and the response are not documented.
   *
   * @example
   * ```ts
   * const analysis = await speech.analyzeText(presets.emulator.analysisRequest('A calm crossing.'))
   * ```
   * @param request - The text, in the form that the service expects.
   * @param call - A schema for the result, and options of the call.
   */
  async analyzeText<Schema extends StandardSchema = never>(
    request: TextAnalysisRequest,
    { schema, ...call }: TypedCallOptions<Schema> = {},
  ): Promise<Typed<Schema>> {
    checkSchema(schema)
    return conform(schema, await this.#client.send(analyzeText, { body: request }, call), 'analyzeText')
  }

  /** Lists the service's models. */
  async models<Schema extends StandardSchema = never>({
    schema,
    ...call
  }: TypedCallOptions<Schema> = {}): Promise<Typed<Schema>> {
    checkSchema(schema)
    return conform(schema, await this.#client.send(listModels, {}, call), 'listModels')
  }

  /** Lists the language models that a voice agent can use. The request goes to `agentUrl`. */
  async thinkModels<Schema extends StandardSchema = never>({
    schema,
    ...call
  }: TypedCallOptions<Schema> = {}): Promise<Typed<Schema>> {
    checkSchema(schema)
    return conform(schema, await this.#client.send(listThinkModels, {}, call), 'listThinkModels')
  }

  /**
   * Returns a function that requests a new JWT each time it is called. Pass the function as the `accessToken` of
   * another client. By default, a JWT is valid for 30 seconds. That is enough for a WebSocket: the JWT is needed only
   * to open the connection, and the other client requests a new JWT for each connection.
   *
   * @example
   * ```ts
   * const accessToken = speech.tokenSource(presets.emulator.grant)
   * const page = new Speech({ apiUrl: 'https://speech.example', accessToken })
   * ```
   * @param rule - How to find the token in a response.
   * @param options - Options of the call.
   * @throws OptionsError if `rule.token` isn't a function. The returned function throws the errors of a REST call,
   * and ContractDriftError if `rule.token` finds no token.
   * @see `specs/speech/openapi.yaml#/paths/~1v1~1auth~1grant/post`
   */
  tokenSource(
    rule: GrantRule & { readonly request?: GrantRequest },
    options?: CallOptions,
  ): () => Promise<string> {
    if (typeof rule?.token !== 'function') {
      throw new OptionsError(
        'token',
        "must be a function that finds the token in the response, because the service's documentation doesn't show where the token is.",
        'For the emulator, call `tokenSource(presets.emulator.grant)`.',
      )
    }
    return async () => {
      const grant = await this.#client.send(grantToken, { body: rule.request }, options)
      const token = rule.token(grant)
      if (typeof token === 'string' && token !== '') return token
      // The error omits the response, which may contain a token that `rule.token` missed.
      throw new ContractDriftError(
        'grantToken: the function `token` returned no token. Check where the response contains the token.',
        [{ path: '', reason: 'contains no token that the function `token` can find' }],
        undefined,
        { operation: 'grantToken' },
      )
    }
  }

  /**
   * Calls an operation that manages projects or self-hosted deployments. The documentation shows only the paths of
   * these operations.
   *
   * @example
   * ```ts
   * const { status, data } = await speech.request({ method: 'GET', path: '/v1/projects' })
   * ```
   * @param request - Method, path, query and body.
   * @param options - Options of the call.
   * @throws RequestInvalidError, before anything is sent, for a path that doesn't belong to these operations; the
   * errors of a REST call.
   */
  request<Schema extends StandardSchema = never>(
    request: RawRequest<Schema>,
    options?: CallOptions,
  ): Promise<RawResponse<Typed<Schema>>> {
    return sendRaw(this.#client, request, options)
  }

  /** Ends all calls and connections. */
  async close(): Promise<void> {
    await this.#client.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
