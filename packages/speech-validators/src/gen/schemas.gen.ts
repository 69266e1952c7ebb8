// Generated from specs/speech/openapi.yaml and specs/speech/asyncapi.yaml by @concord/generate. Do not edit.
import type { BinaryInput } from './types.gen.ts'
import { hasMinCodePoints, isBinaryInput, isBlob, isUint8Array, lacksOneOf } from './predicates.gen.ts'
import * as z from 'zod'

/**
 * The bytes of audio.
 *
 * Undocumented: the formats that are accepted and returned.
 */
export const audio = /*#__PURE__*/ z.string()

/**
 * A model of `/v1/listen`.
 */
export const listenModel = /*#__PURE__*/ z.enum([
  'nova-3',
  'nova-2',
  'nova',
  'enhanced',
  'base'
])

/**
 * The value of an option in the URL. For several values, the name is repeated for each, which is the usual form of a
 * list in a URL.
 */
export const optionValue = /*#__PURE__*/ (() => z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.array(z.string())
]))()

/**
 * The transcript of a file.
 *
 * Undocumented: the shape.
 */
export const transcript = /*#__PURE__*/ z.unknown()

/**
 * The text to speak, and how.
 *
 * Undocumented: the shape. The `text` of the WebSocket message `Speak` is not shown for this call.
 */
export const synthesisRequest = /*#__PURE__*/ z.unknown()

/**
 * The text to analyze, and how.
 *
 * Undocumented: the shape.
 */
export const textAnalysisRequest = /*#__PURE__*/ z.unknown()

/**
 * Summaries, sentiment, topics and intents of the text.
 *
 * Undocumented: the shape.
 */
export const textAnalysis = /*#__PURE__*/ z.unknown()

/**
 * The models of the service.
 *
 * Undocumented: the shape.
 */
export const modelList = /*#__PURE__*/ z.unknown()

/**
 * The token to issue.
 *
 * Undocumented: the shape.
 */
export const grantRequest = /*#__PURE__*/ z.unknown()

/**
 * A token. It contains a JWT, so all of it is secret.
 *
 * Undocumented: the shape, and the name of the field with the JWT.
 */
export const grant = /*#__PURE__*/ z.unknown()

/**
 * Language models for the voice agent.
 *
 * Undocumented: the shape.
 */
export const thinkModelList = /*#__PURE__*/ z.unknown()

/**
 * The body of an error.
 *
 * Undocumented: the shape.
 */
export const errorBody = /*#__PURE__*/ z.unknown()

/**
 * The input of `transcribe`.
 */
export const transcribeInput = /*#__PURE__*/ (() => z.looseObject({
  query: z.optional(z.looseObject({
    model: z.optional(listenModel),
    encoding: z.optional(optionValue),
    language: z.optional(optionValue),
    utterance_end_ms: z.optional(optionValue),
    smart_format: z.optional(optionValue),
    diarize: z.optional(optionValue),
    punctuate: z.optional(optionValue),
    summarize: z.optional(optionValue),
    sentiment: z.optional(optionValue),
    topics: z.optional(optionValue),
    intents: z.optional(optionValue),
    redact: z.optional(optionValue)
  })),
  body: z.custom<BinaryInput>(isBinaryInput, 'must be a file path, bytes, a Blob or a stream')
}))()

/**
 * The body of the success response of `transcribe`.
 */
export const transcribeOutput = transcript

/**
 * The body of a documented error of `transcribe`.
 */
export const transcribeError = errorBody

export const synthesizeResponse200 = /*#__PURE__*/ z.custom<Blob>(isBlob, 'must be a Blob')

/**
 * The input of `synthesize`.
 */
export const synthesizeInput = /*#__PURE__*/ (() => z.looseObject({
  body: z.optional(synthesisRequest)
}))()

/**
 * The body of the success response of `synthesize`.
 */
export const synthesizeOutput = synthesizeResponse200

/**
 * The body of a documented error of `synthesize`.
 */
export const synthesizeError = errorBody

/**
 * The input of `analyzeText`.
 */
export const analyzeTextInput = /*#__PURE__*/ (() => z.looseObject({
  body: z.optional(textAnalysisRequest)
}))()

/**
 * The body of the success response of `analyzeText`.
 */
export const analyzeTextOutput = textAnalysis

/**
 * The body of a documented error of `analyzeText`.
 */
export const analyzeTextError = errorBody

/**
 * The input of `listModels`.
 */
export const listModelsInput = /*#__PURE__*/ z.looseObject({})

/**
 * The body of the success response of `listModels`.
 */
export const listModelsOutput = modelList

/**
 * The body of a documented error of `listModels`.
 */
export const listModelsError = errorBody

/**
 * The input of `grantToken`.
 */
export const grantTokenInput = /*#__PURE__*/ (() => z.looseObject({
  body: z.optional(grantRequest)
}))()

/**
 * The body of the success response of `grantToken`.
 */
export const grantTokenOutput = grant

/**
 * The body of a documented error of `grantToken`.
 */
export const grantTokenError = errorBody

/**
 * The input of `listThinkModels`.
 */
export const listThinkModelsInput = /*#__PURE__*/ z.looseObject({})

/**
 * The body of the success response of `listThinkModels`.
 */
export const listThinkModelsOutput = thinkModelList

/**
 * The body of a documented error of `listThinkModels`.
 */
export const listThinkModelsError = errorBody

/**
 * The bytes of audio.
 *
 * Undocumented: the formats that are accepted and sent.
 */
export const audioFrame = /*#__PURE__*/ z.custom<Uint8Array>(isUint8Array, 'must be bytes (a Uint8Array)')

/**
 * The options of `/v1/listen`. Other parameters are allowed. `encoding` must match the actual audio, and is omitted
 * for mp3, wav and ogg.
 *
 * Undocumented:
 * - The complete list of parameters, and the form of their values.
 * - Which parameters apply to REST, to the WebSocket, or to both. The documentation has the same list for both.
 * - Whether `model` is required, and the defaults of all parameters.
 */
export const liveTranscriptionOptions = /*#__PURE__*/ (() => z.looseObject({
  model: z.optional(listenModel),
  encoding: z.optional(optionValue),
  language: z.optional(optionValue),
  utterance_end_ms: z.optional(optionValue),
  smart_format: z.optional(optionValue),
  diarize: z.optional(optionValue),
  punctuate: z.optional(optionValue),
  summarize: z.optional(optionValue),
  sentiment: z.optional(optionValue),
  topics: z.optional(optionValue),
  intents: z.optional(optionValue),
  redact: z.optional(optionValue)
}))()

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
export const conversationOptions = /*#__PURE__*/ (() => z.looseObject({
  model: z.optional(z.literal('flux-general-en')),
  language: z.optional(optionValue),
  encoding: z.optional(optionValue)
}).check(z.refine(lacksOneOf('smart_format'), 'must not have `smart_format`'), z.refine(lacksOneOf('diarize'), 'must not have `diarize`'), z.refine(lacksOneOf('punctuate'), 'must not have `punctuate`')))()

/**
 * The options of `/v1/speak`.
 *
 * Undocumented: the names and values of the options.
 */
export const speechStreamOptions = /*#__PURE__*/ z.looseObject({})

/**
 * Keeps a silent connection open.
 */
export const keepAlive = /*#__PURE__*/ (() => z.looseObject({
  type: z.literal('KeepAlive')
}))()

/**
 * Thresholds of turn detection. An omitted threshold keeps its value.
 *
 * Undocumented: the ranges of the two thresholds, and whether there are others.
 */
export const thresholds = /*#__PURE__*/ (() => z.looseObject({
  eot_threshold: z.optional(z.string().check(z.regex(/^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$/u))),
  eot_timeout_ms: z.optional(z.string().check(z.regex(/^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$/u)))
}))()

/**
 * Changes turn detection while the connection is open.
 *
 * Undocumented: what happens to the key terms when `keyterms` is omitted or empty. Only thresholds are documented to keep their values.
 */
export const configure = /*#__PURE__*/ (() => z.looseObject({
  type: z.literal('Configure'),
  thresholds: z.optional(thresholds),
  keyterms: z.optional(z.array(z.string()))
}))()

/**
 * A value that the service confirms, if it repeats the value under the same name as in Configure.
 *
 * Undocumented: the name and the form.
 */
export const echoedValue = /*#__PURE__*/ z.unknown()

/**
 * Confirms a Configure and echoes the applied values.
 *
 * Undocumented:
 * - Whether `type` identifies this message, as in KeepAlive and Configure; that is the usual interpretation. A message without this `type` counts as an event that isn't documented, for which any value is accepted.
 * - The names and forms of the echoed values, whether they are all values or only the changed ones, and other fields.
 */
export const configureSuccess = /*#__PURE__*/ (() => z.looseObject({
  type: z.literal('ConfigureSuccess'),
  thresholds: z.optional(echoedValue),
  keyterms: z.optional(echoedValue)
}))()

/**
 * Denies a Configure.
 *
 * Undocumented:
 * - Whether `type` identifies this message, as in KeepAlive and Configure; that is the usual interpretation. A message without this `type` counts as an event that isn't documented, for which any value is accepted.
 * - The other fields, and whether there is a reason.
 */
export const configureFailure = /*#__PURE__*/ (() => z.looseObject({
  type: z.literal('ConfigureFailure')
}))()

/**
 * Text to speak.
 *
 * Undocumented:
 * - Whether it has a `type`, like KeepAlive and Configure. A `type` is allowed.
 * - How 400 is delivered for an empty text.
 */
export const speak = /*#__PURE__*/ (() => z.looseObject({
  type: z.optional(z.string()),
  text: z.string().check(z.refine(hasMinCodePoints(1), 'must have at least 1 character'))
}))()

/**
 * The configuration of the complete pipeline of an agent.
 *
 * Undocumented: the contents, and whether it has a `type`, like KeepAlive and Configure.
 */
export const settings = /*#__PURE__*/ z.looseObject({})

/**
 * Any other message of the service.
 *
 * Undocumented: the shape.
 */
export const serverEvent = /*#__PURE__*/ z.unknown()

/**
 * The query of `liveTranscription`.
 */
export const liveTranscriptionQuery = liveTranscriptionOptions

/**
 * A JSON message that a client sends on `liveTranscription`.
 */
export const liveTranscriptionClientMessage = keepAlive

/**
 * A JSON message that the service is documented to send on `liveTranscription`.
 */
export const liveTranscriptionServerMessage = serverEvent

/**
 * The query of `conversation`.
 */
export const conversationQuery = conversationOptions

/**
 * A JSON message that a client sends on `conversation`.
 */
export const conversationClientMessage = configure

/**
 * A JSON message that the service is documented to send on `conversation`.
 */
export const conversationServerMessage = /*#__PURE__*/ z.union([
  configureSuccess,
  configureFailure,
  serverEvent
])

/**
 * The query of `speechStream`.
 */
export const speechStreamQuery = speechStreamOptions

/**
 * A JSON message that a client sends on `speechStream`.
 */
export const speechStreamClientMessage = speak

/**
 * A JSON message that the service is documented to send on `speechStream`.
 */
export const speechStreamServerMessage = serverEvent

/**
 * The query of `agent`.
 */
export const agentQuery = /*#__PURE__*/ z.looseObject({})

/**
 * A JSON message that a client sends on `agent`.
 */
export const agentClientMessage = settings

/**
 * A JSON message that the service is documented to send on `agent`.
 */
export const agentServerMessage = serverEvent
