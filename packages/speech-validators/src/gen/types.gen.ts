// Generated from specs/speech/openapi.yaml and specs/speech/asyncapi.yaml by @concord/generate. Do not edit.

/**
 * Bytes to send: a file path, bytes, a Blob or a stream. To also set the file name, media type or length, pass
 * an object whose `content` is the path, bytes, Blob or stream. A path works only where there is a file system.
 * In React Native, pass the object that a file picker returns: `{ uri, name, type }`.
 */
export type BinaryInput =
  | string
  | BinaryContent
  | {
      readonly content: string | BinaryContent
      readonly filename?: string | undefined
      readonly contentType?: string | undefined
      readonly sizeBytes?: number | undefined
    }
  | {
      readonly uri: string
      readonly name?: string | null | undefined
      readonly type?: string | null | undefined
    }

/** Bytes, a Blob or a stream of bytes. */
export type BinaryContent = Blob | ArrayBuffer | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

/**
 * The bytes of audio.
 *
 * Undocumented: the formats that are accepted and returned.
 */
export type Audio = string

/**
 * A model of `/v1/listen`.
 */
export type ListenModel = 'nova-3' | 'nova-2' | 'nova' | 'enhanced' | 'base'

/**
 * The value of an option in the URL. For several values, the name is repeated for each, which is the usual form of a
 * list in a URL.
 */
export type OptionValue = string | number | boolean | Array<string>

/**
 * The transcript of a file.
 *
 * Undocumented: the shape.
 */
export type Transcript = unknown

/**
 * The text to speak, and how.
 *
 * Undocumented: the shape. The `text` of the WebSocket message `Speak` is not shown for this call.
 */
export type SynthesisRequest = unknown

/**
 * The text to analyze, and how.
 *
 * Undocumented: the shape.
 */
export type TextAnalysisRequest = unknown

/**
 * Summaries, sentiment, topics and intents of the text.
 *
 * Undocumented: the shape.
 */
export type TextAnalysis = unknown

/**
 * The models of the service.
 *
 * Undocumented: the shape.
 */
export type ModelList = unknown

/**
 * The token to issue.
 *
 * Undocumented: the shape.
 */
export type GrantRequest = unknown

/**
 * A token. It contains a JWT, so all of it is secret.
 *
 * Undocumented: the shape, and the name of the field with the JWT.
 */
export type Grant = unknown

/**
 * Language models for the voice agent.
 *
 * Undocumented: the shape.
 */
export type ThinkModelList = unknown

/**
 * The body of an error.
 *
 * Undocumented: the shape.
 */
export type ErrorBody = unknown

/**
 * The input of `transcribe`.
 */
export type TranscribeInput = {
  query?: {
    /**
     * The model that transcribes.
     */
    model?: ListenModel | undefined
    /**
     * The encoding of the audio. On the WebSocket, it must match the actual audio, and is omitted for mp3, wav and ogg.
     */
    encoding?: OptionValue | undefined
    /**
     * The language of the speech.
     */
    language?: OptionValue | undefined
    /**
     * Controls the voice-activity and utterance-end events of the WebSocket.
     */
    utterance_end_ms?: OptionValue | undefined
    /**
     * The option `smart_format`.
     */
    smart_format?: OptionValue | undefined
    /**
     * Diarization. It lowers the number of connections that may be open at the same time.
     */
    diarize?: OptionValue | undefined
    /**
     * The option `punctuate`.
     */
    punctuate?: OptionValue | undefined
    /**
     * The option `summarize`.
     */
    summarize?: OptionValue | undefined
    /**
     * The option `sentiment`.
     */
    sentiment?: OptionValue | undefined
    /**
     * The option `topics`.
     */
    topics?: OptionValue | undefined
    /**
     * The option `intents`.
     */
    intents?: OptionValue | undefined
    /**
     * The option `redact`.
     */
    redact?: OptionValue | undefined
  } | undefined
  /**
   * The audio, and nothing else.
   *
   * Undocumented: which audio formats and content types are accepted.
   */
  body: BinaryInput
}

/**
 * The body of the success response of `transcribe`.
 */
export type TranscribeOutput = Transcript

/**
 * The body of a documented error of `transcribe`.
 */
export type TranscribeError = ErrorBody

export type SynthesizeResponse200 = Blob

/**
 * The input of `synthesize`.
 */
export type SynthesizeInput = {
  /**
   * The text to speak, and how.
   *
   * Undocumented:
   * - Whether a body is required. The documentation does not say where the text goes.
   * - The media type; JSON is the usual interpretation.
   */
  body?: SynthesisRequest | undefined
}

/**
 * The body of the success response of `synthesize`.
 */
export type SynthesizeOutput = SynthesizeResponse200

/**
 * The body of a documented error of `synthesize`.
 */
export type SynthesizeError = ErrorBody

/**
 * The input of `analyzeText`.
 */
export type AnalyzeTextInput = {
  /**
   * The text to analyze, and how.
   *
   * Undocumented:
   * - Whether a body is required.
   * - The media type; JSON is the usual interpretation.
   */
  body?: TextAnalysisRequest | undefined
}

/**
 * The body of the success response of `analyzeText`.
 */
export type AnalyzeTextOutput = TextAnalysis

/**
 * The body of a documented error of `analyzeText`.
 */
export type AnalyzeTextError = ErrorBody

/**
 * The input of `listModels`.
 */
export type ListModelsInput = Record<string, never>

/**
 * The body of the success response of `listModels`.
 */
export type ListModelsOutput = ModelList

/**
 * The body of a documented error of `listModels`.
 */
export type ListModelsError = ErrorBody

/**
 * The input of `grantToken`.
 */
export type GrantTokenInput = {
  /**
   * The token to issue.
   *
   * Undocumented:
   * - Whether a body is required.
   * - The media type; JSON is the usual interpretation.
   */
  body?: GrantRequest | undefined
}

/**
 * The body of the success response of `grantToken`.
 */
export type GrantTokenOutput = Grant

/**
 * The body of a documented error of `grantToken`.
 */
export type GrantTokenError = ErrorBody

/**
 * The input of `listThinkModels`.
 */
export type ListThinkModelsInput = Record<string, never>

/**
 * The body of the success response of `listThinkModels`.
 */
export type ListThinkModelsOutput = ThinkModelList

/**
 * The body of a documented error of `listThinkModels`.
 */
export type ListThinkModelsError = ErrorBody

/**
 * The bytes of audio.
 *
 * Undocumented: the formats that are accepted and sent.
 */
export type AudioFrame = Uint8Array

/**
 * The options of `/v1/listen`. Other parameters are allowed. `encoding` must match the actual audio, and is omitted
 * for mp3, wav and ogg.
 *
 * Undocumented:
 * - The complete list of parameters, and the form of their values.
 * - Which parameters apply to REST, to the WebSocket, or to both. The documentation has the same list for both.
 * - Whether `model` is required, and the defaults of all parameters.
 */
export type LiveTranscriptionOptions = {
  model?: ListenModel | undefined
  /**
   * The encoding of the audio. It must match the actual audio, and is omitted for mp3, wav and ogg.
   */
  encoding?: OptionValue | undefined
  /**
   * The language of the speech.
   */
  language?: OptionValue | undefined
  /**
   * Controls voice-activity and utterance-end events.
   */
  utterance_end_ms?: OptionValue | undefined
  /**
   * The option `smart_format`.
   */
  smart_format?: OptionValue | undefined
  /**
   * Diarization. It lowers the number of connections that may be open at the same time.
   */
  diarize?: OptionValue | undefined
  /**
   * The option `punctuate`.
   */
  punctuate?: OptionValue | undefined
  /**
   * The option `summarize`.
   */
  summarize?: OptionValue | undefined
  /**
   * The option `sentiment`.
   */
  sentiment?: OptionValue | undefined
  /**
   * The option `topics`.
   */
  topics?: OptionValue | undefined
  /**
   * The option `intents`.
   */
  intents?: OptionValue | undefined
  /**
   * The option `redact`.
   */
  redact?: OptionValue | undefined
}

/**
 * The options of `/v2/listen`: a much smaller set than those of `/v1/listen`. `smart_format`, `diarize` and
 * `punctuate` are unavailable. For containerized audio, neither `language` nor `encoding` may be sent. Other
 * parameters are allowed.
 *
 * Undocumented:
 * - The complete list of parameters, and the form of their values.
 * - Whether the initial thresholds or key terms can be set here.
 * - Whether `model` is required.
 */
export type ConversationOptions = {
  /**
   * The only model. `flux` alone is invalid.
   */
  model?: 'flux-general-en' | undefined
  /**
   * The language of the speech. It must not be sent for containerized audio.
   */
  language?: OptionValue | undefined
  /**
   * The encoding of the audio. It must match the actual audio, and must not be sent for containerized audio.
   */
  encoding?: OptionValue | undefined
  /**
   * Must be absent.
   */
  smart_format?: undefined
  /**
   * Must be absent.
   */
  diarize?: undefined
  /**
   * Must be absent.
   */
  punctuate?: undefined
}

/**
 * The options of `/v1/speak`.
 *
 * Undocumented: the names and values of the options.
 */
export type SpeechStreamOptions = {
  [key: string]: unknown
}

/**
 * Keeps a silent connection open.
 */
export type KeepAlive = {
  /**
   * The name of the message.
   */
  type: 'KeepAlive'
}

/**
 * Changes turn detection while the connection is open.
 *
 * Undocumented: what happens to the key terms when `keyterms` is omitted or empty. Only thresholds are documented to keep their values.
 */
export type Configure = {
  /**
   * The name of the message.
   */
  type: 'Configure'
  thresholds?: Thresholds | undefined
  /**
   * Key terms.
   */
  keyterms?: Array<string> | undefined
}

/**
 * Thresholds of turn detection. An omitted threshold keeps its value.
 *
 * Undocumented: the ranges of the two thresholds, and whether there are others.
 */
export type Thresholds = {
  /**
   * The end-of-turn threshold. A number, encoded as a string.
   */
  eot_threshold?: string | undefined
  /**
   * The end-of-turn timeout in milliseconds. A number, encoded as a string.
   */
  eot_timeout_ms?: string | undefined
}

/**
 * Confirms a Configure and echoes the applied values.
 *
 * Undocumented:
 * - Whether `type` identifies this message, as in KeepAlive and Configure; that is the usual interpretation. A message without this `type` counts as an event that isn't documented, for which any value is accepted.
 * - The names and forms of the echoed values, whether they are all values or only the changed ones, and other fields.
 */
export type ConfigureSuccess = {
  /**
   * The name of the message.
   */
  type: 'ConfigureSuccess'
  thresholds?: EchoedValue | undefined
  keyterms?: EchoedValue | undefined
}

/**
 * A value that the service confirms, if it repeats the value under the same name as in Configure.
 *
 * Undocumented: the name and the form.
 */
export type EchoedValue = unknown

/**
 * Denies a Configure.
 *
 * Undocumented:
 * - Whether `type` identifies this message, as in KeepAlive and Configure; that is the usual interpretation. A message without this `type` counts as an event that isn't documented, for which any value is accepted.
 * - The other fields, and whether there is a reason.
 */
export type ConfigureFailure = {
  /**
   * The name of the message.
   */
  type: 'ConfigureFailure'
}

/**
 * Text to speak.
 *
 * Undocumented:
 * - Whether it has a `type`, like KeepAlive and Configure. A `type` is allowed.
 * - How 400 is delivered for an empty text.
 */
export type Speak = {
  /**
   * The name of the message, if it has one.
   *
   * Undocumented: its value.
   */
  type?: string | undefined
  /**
   * The text. An empty one causes the error 400.
   */
  text: string
}

/**
 * The configuration of the complete pipeline of an agent.
 *
 * Undocumented: the contents, and whether it has a `type`, like KeepAlive and Configure.
 */
export type Settings = {
  [key: string]: unknown
}

/**
 * Any other message of the service.
 *
 * Undocumented: the shape.
 */
export type ServerEvent = unknown

/**
 * The query of `liveTranscription`.
 */
export type LiveTranscriptionQuery = LiveTranscriptionOptions

/**
 * A JSON message that a client sends on `liveTranscription`.
 */
export type LiveTranscriptionClientMessage = KeepAlive

/**
 * A JSON message that the service is documented to send on `liveTranscription`.
 */
export type LiveTranscriptionServerMessage = ServerEvent

/**
 * The query of `conversation`.
 */
export type ConversationQuery = ConversationOptions

/**
 * A JSON message that a client sends on `conversation`.
 */
export type ConversationClientMessage = Configure

/**
 * A JSON message that the service is documented to send on `conversation`.
 */
export type ConversationServerMessage = ConfigureSuccess | ConfigureFailure | ServerEvent

/**
 * The query of `speechStream`.
 */
export type SpeechStreamQuery = SpeechStreamOptions

/**
 * A JSON message that a client sends on `speechStream`.
 */
export type SpeechStreamClientMessage = Speak

/**
 * A JSON message that the service is documented to send on `speechStream`.
 */
export type SpeechStreamServerMessage = ServerEvent

/**
 * The query of `agent`.
 */
export type AgentQuery = Record<string, never>

/**
 * A JSON message that a client sends on `agent`.
 */
export type AgentClientMessage = Settings

/**
 * A JSON message that the service is documented to send on `agent`.
 */
export type AgentServerMessage = ServerEvent
