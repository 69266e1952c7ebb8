// Generated from specs/speech/openapi.yaml and specs/speech/asyncapi.yaml by @concord/generate. Do not edit.
import type {
  AnalyzeTextInput,
  AnalyzeTextOutput,
  GrantTokenInput,
  GrantTokenOutput,
  ListModelsInput,
  ListModelsOutput,
  ListThinkModelsInput,
  ListThinkModelsOutput,
  SynthesizeInput,
  SynthesizeOutput,
  TranscribeInput,
  TranscribeOutput,
} from '@concord/speech-validators'
import type { CallOptions, Client, Exchange } from '@concord/runtime'
import type { Send } from '@concord/runtime/internal'
import {
  analyzeText,
  grantToken,
  listModels,
  listThinkModels,
  synthesize,
  transcribe,
} from './operations.gen.ts'

/**
 * All operations of the contract (Speech service). Inputs and results are exactly as on the wire.
 *
 * @public
 */
export interface SpeechApi {
  /**
   * Transcribes a recorded file.
   *
   * Transcribes the audio in the body. All options are query parameters. For audio while it is being spoken, use the
   * WebSocket channel of the same path.
   *
   * `POST /v1/listen`
   *
   * Undocumented:
   * - The complete list of query parameters and the form of their values.
   * - Which parameters apply to REST, to the WebSocket, or to both. The documentation has the same list for both.
   * - Whether `model` is required, and the defaults of all parameters.
   * - Whether the WebSocket's rules for `encoding` also apply here.
   *
   * @param input - `query.model` (optional): The model that transcribes.
   *   `query.encoding` (optional): The encoding of the audio. On the WebSocket, it must match the actual audio, and is omitted for mp3, wav and ogg.
   *   `query.language` (optional): The language of the speech.
   *   `query.utterance_end_ms` (optional): Controls the voice-activity and utterance-end events of the WebSocket.
   *   `query.smart_format` (optional): The option `smart_format`.
   *   `query.diarize` (optional): Diarization. It lowers the number of connections that may be open at the same time.
   *   `query.punctuate` (optional): The option `punctuate`.
   *   `query.summarize` (optional): The option `summarize`.
   *   `query.sentiment` (optional): The option `sentiment`.
   *   `query.topics` (optional): The option `topics`.
   *   `query.intents` (optional): The option `intents`.
   *   `query.redact` (optional): The option `redact`.
   *   `body`: sent as `*\/*`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The transcript.
   * @throws ApiError with status 429: Too many simultaneous connections. The service limits connections that are open at the same time, not requests.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. If you call again, the same work may be done and billed twice.
   * @see `specs/speech/openapi.yaml#/paths/~1v1~1listen/post`
   */
  transcribe(input: TranscribeInput, options?: CallOptions): Promise<TranscribeOutput>

  /**
   * Synthesizes speech in one call.
   *
   * One-shot speech synthesis. The options are query parameters of the URL. For low latency, use the WebSocket channel
   * of the same path.
   *
   * `POST /v1/speak`
   *
   * Undocumented: the names and values of the query parameters; whether an empty text is rejected here as it is on the WebSocket.
   *
   * @param input - `body` (optional): sent as `application/json`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The audio.
   * @throws ApiError with status 429: Too many simultaneous connections. The service limits connections that are open at the same time, not requests.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. If you call again, the same work may be done and billed twice.
   * @see `specs/speech/openapi.yaml#/paths/~1v1~1speak/post`
   */
  synthesize(input?: SynthesizeInput, options?: CallOptions): Promise<SynthesizeOutput>

  /**
   * Analyzes text.
   *
   * Finds summaries, sentiment, topics and intents in text. This path has no WebSocket.
   *
   * `POST /v1/read`
   *
   * Undocumented: query parameters. Those of `/v1/listen` don't necessarily exist here.
   *
   * @param input - `body` (optional): sent as `application/json`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The analysis.
   * @throws ApiError with status 429: Too many simultaneous connections. The service limits connections that are open at the same time, not requests.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. If you call again, the same work may be done and billed twice.
   * @see `specs/speech/openapi.yaml#/paths/~1v1~1read/post`
   */
  analyzeText(input?: AnalyzeTextInput, options?: CallOptions): Promise<AnalyzeTextOutput>

  /**
   * Lists the models.
   *
   * Lists the models of the service.
   *
   * `GET /v1/models`
   *
   * Undocumented: whether the list can be paged or filtered.
   *
   * @param input - This operation has no input: omit this argument, or pass `{}`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The models.
   * @throws ApiError with status 429: Too many simultaneous connections. The service limits connections that are open at the same time, not requests.
   * @see `specs/speech/openapi.yaml#/paths/~1v1~1models/get`
   */
  listModels(input?: ListModelsInput, options?: CallOptions): Promise<ListModelsOutput>

  /**
   * Grants a token.
   *
   * Issues a JWT, which is sent as `Authorization: Bearer <JWT>` and expires after 30 seconds by default. The expiry
   * only matters at the upgrade to a WebSocket, so request a new token before each connection.
   *
   * `POST /v1/auth/grant`
   *
   * Undocumented: how to request a different lifetime; whether a JWT can be used to request the next one.
   *
   * @param input - `body` (optional): sent as `application/json`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The token.
   * @throws ApiError with status 429: Too many simultaneous connections. The service limits connections that are open at the same time, not requests.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. Calling again is harmless.
   * @see `specs/speech/openapi.yaml#/paths/~1v1~1auth~1grant/post`
   */
  grantToken(input?: GrantTokenInput, options?: CallOptions): Promise<GrantTokenOutput>

  /**
   * Lists the language models for the agent.
   *
   * Lists the language models that a voice agent can be configured with. Served at `{agent_url}`.
   *
   * `GET /v1/agent/settings/think/models`
   *
   * Undocumented: whether the list can be paged or filtered.
   *
   * @param input - This operation has no input: omit this argument, or pass `{}`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The language models.
   * @throws ApiError with status 429: Too many simultaneous connections. The service limits connections that are open at the same time, not requests.
   * @see `specs/speech/openapi.yaml#/paths/~1v1~1agent~1settings~1think~1models/get`
   */
  listThinkModels(input?: ListThinkModelsInput, options?: CallOptions): Promise<ListThinkModelsOutput>
}

/**
 * The operations of {@link SpeechApi}, each returning the whole response: status, headers, request id and raw body.
 *
 * @public
 */
export type SpeechApiWithResponse = {
  readonly [Name in keyof SpeechApi]: (
    ...call: Parameters<SpeechApi[Name]>
  ) => Promise<Exchange<Awaited<ReturnType<SpeechApi[Name]>>>>
}

/** Creates the methods of all operations. They pass each call to `send`. */
export function speechApi(send: Send): SpeechApi {
  return {
    transcribe: (input, options) => send(transcribe, input, options),
    synthesize: (input = {}, options) => send(synthesize, input, options),
    analyzeText: (input = {}, options) => send(analyzeText, input, options),
    listModels: (input = {}, options) => send(listModels, input, options),
    grantToken: (input = {}, options) => send(grantToken, input, options),
    listThinkModels: (input = {}, options) => send(listThinkModels, input, options),
  }
}

/** Creates the methods that return the whole response. They pass each call to `exchange`. */
export function speechApiWithResponse(exchange: Client['exchange']): SpeechApiWithResponse {
  return {
    transcribe: (input, options) => exchange(transcribe, input, options),
    synthesize: (input = {}, options) => exchange(synthesize, input, options),
    analyzeText: (input = {}, options) => exchange(analyzeText, input, options),
    listModels: (input = {}, options) => exchange(listModels, input, options),
    grantToken: (input = {}, options) => exchange(grantToken, input, options),
    listThinkModels: (input = {}, options) => exchange(listThinkModels, input, options),
  }
}
