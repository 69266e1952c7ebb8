// Generated from specs/speech/openapi.yaml and specs/speech/asyncapi.yaml by @concord/generate. Do not edit.
import type { CheckDescriptor } from '@concord/runtime/internal'

export const analyzeTextInput: CheckDescriptor = {
  accepts: acceptsAnalyzeTextInput,
  schema: () => import('@concord/speech-validators').then(({ analyzeTextInput }) => analyzeTextInput),
}

export const configure: CheckDescriptor = {
  accepts: acceptsConfigure,
  schema: () => import('@concord/speech-validators').then(({ configure }) => configure),
}

export const configureFailure: CheckDescriptor = {
  accepts: acceptsConfigureFailure,
  schema: () => import('@concord/speech-validators').then(({ configureFailure }) => configureFailure),
}

export const configureSuccess: CheckDescriptor = {
  accepts: acceptsConfigureSuccess,
  schema: () => import('@concord/speech-validators').then(({ configureSuccess }) => configureSuccess),
}

export const conversationQuery: CheckDescriptor = {
  accepts: acceptsConversationQuery,
  schema: () => import('@concord/speech-validators').then(({ conversationQuery }) => conversationQuery),
}

export const errorBody: CheckDescriptor = {
  accepts: acceptsErrorBody,
  schema: () => import('@concord/speech-validators').then(({ errorBody }) => errorBody),
}

export const grant: CheckDescriptor = {
  accepts: acceptsGrant,
  schema: () => import('@concord/speech-validators').then(({ grant }) => grant),
}

export const grantTokenInput: CheckDescriptor = {
  accepts: acceptsGrantTokenInput,
  schema: () => import('@concord/speech-validators').then(({ grantTokenInput }) => grantTokenInput),
}

export const keepAlive: CheckDescriptor = {
  accepts: acceptsKeepAlive,
  schema: () => import('@concord/speech-validators').then(({ keepAlive }) => keepAlive),
}

export const liveTranscriptionQuery: CheckDescriptor = {
  accepts: acceptsLiveTranscriptionQuery,
  schema: () => import('@concord/speech-validators').then(({ liveTranscriptionQuery }) => liveTranscriptionQuery),
}

export const modelList: CheckDescriptor = {
  accepts: acceptsModelList,
  schema: () => import('@concord/speech-validators').then(({ modelList }) => modelList),
}

export const serverEvent: CheckDescriptor = {
  accepts: acceptsServerEvent,
  schema: () => import('@concord/speech-validators').then(({ serverEvent }) => serverEvent),
}

export const settings: CheckDescriptor = {
  accepts: acceptsSettings,
  schema: () => import('@concord/speech-validators').then(({ settings }) => settings),
}

export const speak: CheckDescriptor = {
  accepts: acceptsSpeak,
  schema: () => import('@concord/speech-validators').then(({ speak }) => speak),
}

export const synthesizeInput: CheckDescriptor = {
  accepts: acceptsSynthesizeInput,
  schema: () => import('@concord/speech-validators').then(({ synthesizeInput }) => synthesizeInput),
}

export const textAnalysis: CheckDescriptor = {
  accepts: acceptsTextAnalysis,
  schema: () => import('@concord/speech-validators').then(({ textAnalysis }) => textAnalysis),
}

export const thinkModelList: CheckDescriptor = {
  accepts: acceptsThinkModelList,
  schema: () => import('@concord/speech-validators').then(({ thinkModelList }) => thinkModelList),
}

export const transcribeInput: CheckDescriptor = {
  accepts: acceptsTranscribeInput,
  schema: () => import('@concord/speech-validators').then(({ transcribeInput }) => transcribeInput),
}

export const transcript: CheckDescriptor = {
  accepts: acceptsTranscript,
  schema: () => import('@concord/speech-validators').then(({ transcript }) => transcript),
}

export function acceptsAnalyzeTextInput(value: unknown): boolean {
  return isRecord(value)
}

export function acceptsConfigure(value: unknown): boolean {
  return (
    isRecord(value) &&
    value['type'] === 'Configure' &&
    (value['thresholds'] === undefined || acceptsThresholds(value['thresholds'])) &&
    (value['keyterms'] === undefined || (Array.isArray(value['keyterms']) && hasItemsOf(value['keyterms'], isString)))
  )
}

export function acceptsThresholds(value: unknown): boolean {
  return (
    isRecord(value) &&
    (value['eot_threshold'] === undefined || (typeof value['eot_threshold'] === 'string' && /^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$/u.test(value['eot_threshold']))) &&
    (value['eot_timeout_ms'] === undefined || (typeof value['eot_timeout_ms'] === 'string' && /^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$/u.test(value['eot_timeout_ms'])))
  )
}

function isString(value: unknown): boolean {
  return typeof value === 'string'
}

export function acceptsConfigureFailure(value: unknown): boolean {
  return isRecord(value) && value['type'] === 'ConfigureFailure'
}

export function acceptsConfigureSuccess(value: unknown): boolean {
  return isRecord(value) && value['type'] === 'ConfigureSuccess'
}

export function acceptsConversationQuery(value: unknown): boolean {
  return acceptsConversationOptions(value)
}

export function acceptsConversationOptions(value: unknown): boolean {
  return (
    isRecord(value) &&
    (value['model'] === undefined || value['model'] === 'flux-general-en') &&
    (value['language'] === undefined || acceptsOptionValue(value['language'])) &&
    (value['encoding'] === undefined || acceptsOptionValue(value['encoding'])) &&
    value['smart_format'] === undefined &&
    value['diarize'] === undefined &&
    value['punctuate'] === undefined
  )
}

export function acceptsOptionValue(value: unknown): boolean {
  return (
    typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value)) || typeof value === 'boolean' || (Array.isArray(value) && hasItemsOf(value, isString))
  )
}

export function acceptsErrorBody(_value: unknown): boolean {
  return true
}

export function acceptsGrant(_value: unknown): boolean {
  return true
}

export function acceptsGrantTokenInput(value: unknown): boolean {
  return isRecord(value)
}

export function acceptsKeepAlive(value: unknown): boolean {
  return isRecord(value) && value['type'] === 'KeepAlive'
}

export function acceptsLiveTranscriptionQuery(value: unknown): boolean {
  return acceptsLiveTranscriptionOptions(value)
}

export function acceptsLiveTranscriptionOptions(value: unknown): boolean {
  return (
    isRecord(value) &&
    (value['model'] === undefined || acceptsListenModel(value['model'])) &&
    (value['encoding'] === undefined || acceptsOptionValue(value['encoding'])) &&
    (value['language'] === undefined || acceptsOptionValue(value['language'])) &&
    (value['utterance_end_ms'] === undefined || acceptsOptionValue(value['utterance_end_ms'])) &&
    (value['smart_format'] === undefined || acceptsOptionValue(value['smart_format'])) &&
    (value['diarize'] === undefined || acceptsOptionValue(value['diarize'])) &&
    (value['punctuate'] === undefined || acceptsOptionValue(value['punctuate'])) &&
    (value['summarize'] === undefined || acceptsOptionValue(value['summarize'])) &&
    (value['sentiment'] === undefined || acceptsOptionValue(value['sentiment'])) &&
    (value['topics'] === undefined || acceptsOptionValue(value['topics'])) &&
    (value['intents'] === undefined || acceptsOptionValue(value['intents'])) &&
    (value['redact'] === undefined || acceptsOptionValue(value['redact']))
  )
}

export function acceptsListenModel(value: unknown): boolean {
  return (
    value === 'nova-3' || value === 'nova-2' || value === 'nova' || value === 'enhanced' || value === 'base'
  )
}

export function acceptsModelList(_value: unknown): boolean {
  return true
}

export function acceptsServerEvent(_value: unknown): boolean {
  return true
}

export function acceptsSettings(value: unknown): boolean {
  return isRecord(value)
}

export function acceptsSpeak(value: unknown): boolean {
  return (
    isRecord(value) &&
    (value['type'] === undefined || typeof value['type'] === 'string') &&
    typeof value['text'] === 'string' &&
    value['text'].length >= 1
  )
}

export function acceptsSynthesizeInput(value: unknown): boolean {
  return isRecord(value)
}

export function acceptsTextAnalysis(_value: unknown): boolean {
  return true
}

export function acceptsThinkModelList(_value: unknown): boolean {
  return true
}

export function acceptsTranscribeInput(value: unknown): boolean {
  return (
    isRecord(value) &&
    (value['query'] === undefined || acceptsTranscribeInputQuery(value['query'])) &&
    isBinaryInput(value['body'])
  )
}

function acceptsTranscribeInputQuery(value: unknown): boolean {
  return (
    isRecord(value) &&
    (value['model'] === undefined || acceptsListenModel(value['model'])) &&
    (value['encoding'] === undefined || acceptsOptionValue(value['encoding'])) &&
    (value['language'] === undefined || acceptsOptionValue(value['language'])) &&
    (value['utterance_end_ms'] === undefined || acceptsOptionValue(value['utterance_end_ms'])) &&
    (value['smart_format'] === undefined || acceptsOptionValue(value['smart_format'])) &&
    (value['diarize'] === undefined || acceptsOptionValue(value['diarize'])) &&
    (value['punctuate'] === undefined || acceptsOptionValue(value['punctuate'])) &&
    (value['summarize'] === undefined || acceptsOptionValue(value['summarize'])) &&
    (value['sentiment'] === undefined || acceptsOptionValue(value['sentiment'])) &&
    (value['topics'] === undefined || acceptsOptionValue(value['topics'])) &&
    (value['intents'] === undefined || acceptsOptionValue(value['intents'])) &&
    (value['redact'] === undefined || acceptsOptionValue(value['redact']))
  )
}

export function acceptsTranscript(_value: unknown): boolean {
  return true
}

/** Returns whether a value is an object other than an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns whether all items pass a test. Unlike `every`, also tests the holes of a sparse array. */
export function hasItemsOf(items: readonly unknown[], test: (value: unknown) => boolean): boolean {
  for (const item of items) if (!test(item)) return false
  return true
}

/**
 * Returns whether a value can be sent as bytes: a file path, bytes, a Blob or a stream, or an object with one of
 * these as `content`.
 */
export function isBinaryInput(value: unknown): boolean {
  if (typeof value === 'string' || isBytes(value)) return true
  if (typeof value !== 'object' || value === null) return false
  // The file pickers of React Native return objects with a `uri`.
  if ('uri' in value) return typeof value.uri === 'string'
  if (!('content' in value)) return false
  const { content, filename, contentType, sizeBytes } = value as Record<string, unknown>
  return (
    (typeof content === 'string' || isBytes(content)) &&
    (filename === undefined || typeof filename === 'string') &&
    (contentType === undefined || typeof contentType === 'string') &&
    (sizeBytes === undefined || (typeof sizeBytes === 'number' && sizeBytes >= 0))
  )
}

function isBytes(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  // `instanceof` would return false for objects from test environments and iframes, which have their own classes.
  if (ArrayBuffer.isView(value) || Object.prototype.toString.call(value) === '[object ArrayBuffer]')
    return true
  const { size, slice, getReader } = value as { size?: unknown; slice?: unknown; getReader?: unknown }
  const isBlob = typeof size === 'number' && typeof slice === 'function'
  return isBlob || Symbol.asyncIterator in value || typeof getReader === 'function'
}

/** Returns whether a value is a Blob. Clients return the bytes of a response as a Blob. */
export function isBlob(value: unknown): boolean {
  return value instanceof Blob
}
