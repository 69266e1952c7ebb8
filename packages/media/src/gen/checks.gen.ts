// Generated from specs/media/openapi.yaml by @concord/generate. Do not edit.
import type { CheckDescriptor } from '@concord/runtime/internal'

export const avatar: CheckDescriptor = {
  accepts: acceptsAvatar,
  schema: () => import('@concord/media-validators').then(({ avatar }) => avatar),
}

export const characterPerformanceInput: CheckDescriptor = {
  accepts: acceptsCharacterPerformanceInput,
  schema: () => import('@concord/media-validators').then(({ characterPerformanceInput }) => characterPerformanceInput),
}

export const consumeRealtimeSessionInput: CheckDescriptor = {
  accepts: acceptsConsumeRealtimeSessionInput,
  schema: () => import('@concord/media-validators').then(({ consumeRealtimeSessionInput }) => consumeRealtimeSessionInput),
}

export const createAvatarInput: CheckDescriptor = {
  accepts: acceptsCreateAvatarInput,
  schema: () => import('@concord/media-validators').then(({ createAvatarInput }) => createAvatarInput),
}

export const createDocumentInput: CheckDescriptor = {
  accepts: acceptsCreateDocumentInput,
  schema: () => import('@concord/media-validators').then(({ createDocumentInput }) => createDocumentInput),
}

export const createRealtimeSessionInput: CheckDescriptor = {
  accepts: acceptsCreateRealtimeSessionInput,
  schema: () => import('@concord/media-validators').then(({ createRealtimeSessionInput }) => createRealtimeSessionInput),
}

export const createUploadInput: CheckDescriptor = {
  accepts: acceptsCreateUploadInput,
  schema: () => import('@concord/media-validators').then(({ createUploadInput }) => createUploadInput),
}

export const deleteAvatarInput: CheckDescriptor = {
  accepts: acceptsDeleteAvatarInput,
  schema: () => import('@concord/media-validators').then(({ deleteAvatarInput }) => deleteAvatarInput),
}

export const deleteDocumentInput: CheckDescriptor = {
  accepts: acceptsDeleteDocumentInput,
  schema: () => import('@concord/media-validators').then(({ deleteDocumentInput }) => deleteDocumentInput),
}

export const deleteTaskInput: CheckDescriptor = {
  accepts: acceptsDeleteTaskInput,
  schema: () => import('@concord/media-validators').then(({ deleteTaskInput }) => deleteTaskInput),
}

export const errorBody: CheckDescriptor = {
  accepts: acceptsErrorBody,
  schema: () => import('@concord/media-validators').then(({ errorBody }) => errorBody),
}

export const getAvatarInput: CheckDescriptor = {
  accepts: acceptsGetAvatarInput,
  schema: () => import('@concord/media-validators').then(({ getAvatarInput }) => getAvatarInput),
}

export const getDocumentInput: CheckDescriptor = {
  accepts: acceptsGetDocumentInput,
  schema: () => import('@concord/media-validators').then(({ getDocumentInput }) => getDocumentInput),
}

export const getRealtimeSessionInput: CheckDescriptor = {
  accepts: acceptsGetRealtimeSessionInput,
  schema: () => import('@concord/media-validators').then(({ getRealtimeSessionInput }) => getRealtimeSessionInput),
}

export const getTaskInput: CheckDescriptor = {
  accepts: acceptsGetTaskInput,
  schema: () => import('@concord/media-validators').then(({ getTaskInput }) => getTaskInput),
}

export const imageToVideoInput: CheckDescriptor = {
  accepts: acceptsImageToVideoInput,
  schema: () => import('@concord/media-validators').then(({ imageToVideoInput }) => imageToVideoInput),
}

export const knowledgeDocument: CheckDescriptor = {
  accepts: acceptsKnowledgeDocument,
  schema: () => import('@concord/media-validators').then(({ knowledgeDocument }) => knowledgeDocument),
}

export const organization: CheckDescriptor = {
  accepts: acceptsOrganization,
  schema: () => import('@concord/media-validators').then(({ organization }) => organization),
}

export const queryUsageInput: CheckDescriptor = {
  accepts: acceptsQueryUsageInput,
  schema: () => import('@concord/media-validators').then(({ queryUsageInput }) => queryUsageInput),
}

export const realtimeCredentials: CheckDescriptor = {
  accepts: acceptsRealtimeCredentials,
  schema: () => import('@concord/media-validators').then(({ realtimeCredentials }) => realtimeCredentials),
}

export const realtimeSession: CheckDescriptor = {
  accepts: acceptsRealtimeSession,
  schema: () => import('@concord/media-validators').then(({ realtimeSession }) => realtimeSession),
}

export const soundEffectInput: CheckDescriptor = {
  accepts: acceptsSoundEffectInput,
  schema: () => import('@concord/media-validators').then(({ soundEffectInput }) => soundEffectInput),
}

export const speechToSpeechInput: CheckDescriptor = {
  accepts: acceptsSpeechToSpeechInput,
  schema: () => import('@concord/media-validators').then(({ speechToSpeechInput }) => speechToSpeechInput),
}

export const task: CheckDescriptor = {
  accepts: acceptsTask,
  schema: () => import('@concord/media-validators').then(({ task }) => task),
}

export const taskSubmission: CheckDescriptor = {
  accepts: acceptsTaskSubmission,
  schema: () => import('@concord/media-validators').then(({ taskSubmission }) => taskSubmission),
}

export const textToImageInput: CheckDescriptor = {
  accepts: acceptsTextToImageInput,
  schema: () => import('@concord/media-validators').then(({ textToImageInput }) => textToImageInput),
}

export const textToSpeechInput: CheckDescriptor = {
  accepts: acceptsTextToSpeechInput,
  schema: () => import('@concord/media-validators').then(({ textToSpeechInput }) => textToSpeechInput),
}

export const textToVideoInput: CheckDescriptor = {
  accepts: acceptsTextToVideoInput,
  schema: () => import('@concord/media-validators').then(({ textToVideoInput }) => textToVideoInput),
}

export const updateAvatarInput: CheckDescriptor = {
  accepts: acceptsUpdateAvatarInput,
  schema: () => import('@concord/media-validators').then(({ updateAvatarInput }) => updateAvatarInput),
}

export const upload: CheckDescriptor = {
  accepts: acceptsUpload,
  schema: () => import('@concord/media-validators').then(({ upload }) => upload),
}

export const usageHistory: CheckDescriptor = {
  accepts: acceptsUsageHistory,
  schema: () => import('@concord/media-validators').then(({ usageHistory }) => usageHistory),
}

export const videoToVideoInput: CheckDescriptor = {
  accepts: acceptsVideoToVideoInput,
  schema: () => import('@concord/media-validators').then(({ videoToVideoInput }) => videoToVideoInput),
}

export const voiceDubbingInput: CheckDescriptor = {
  accepts: acceptsVoiceDubbingInput,
  schema: () => import('@concord/media-validators').then(({ voiceDubbingInput }) => voiceDubbingInput),
}

export const voiceIsolationInput: CheckDescriptor = {
  accepts: acceptsVoiceIsolationInput,
  schema: () => import('@concord/media-validators').then(({ voiceIsolationInput }) => voiceIsolationInput),
}

export function acceptsAvatar(value: unknown): boolean {
  return (
    isRecord(value) &&
    (value['name'] === undefined || typeof value['name'] === 'string') &&
    (value['referenceImage'] === undefined || typeof value['referenceImage'] === 'string') &&
    (value['voice'] === undefined || acceptsAvatarVoice(value['voice'])) &&
    (value['personality'] === undefined || typeof value['personality'] === 'string') &&
    (value['documentIds'] === undefined || (Array.isArray(value['documentIds']) && hasItemsOf(value['documentIds'], isString)))
  )
}

export function acceptsAvatarVoice(value: unknown): boolean {
  return (
    isRecord(value) &&
    (value['type'] === undefined || acceptsAvatarVoiceType(value['type'])) &&
    (value['presetId'] === undefined || acceptsAvatarVoicePreset(value['presetId']))
  )
}

export function acceptsAvatarVoiceType(value: unknown): boolean {
  return typeof value === 'string'
}

export function acceptsAvatarVoicePreset(value: unknown): boolean {
  return typeof value === 'string'
}

function isString(value: unknown): boolean {
  return typeof value === 'string'
}

export function acceptsCharacterPerformanceInput(value: unknown): boolean {
  return isRecord(value) && acceptsCharacterPerformanceRequest(value['body'])
}

export function acceptsCharacterPerformanceRequest(value: unknown): boolean {
  return (
    isRecord(value) &&
    (value['model'] === undefined || acceptsCharacterPerformanceModel(value['model']))
  )
}

export function acceptsCharacterPerformanceModel(value: unknown): boolean {
  return typeof value === 'string'
}

export function acceptsConsumeRealtimeSessionInput(value: unknown): boolean {
  return isRecord(value) && hasStringId(value['path'])
}

function hasStringId(value: unknown): boolean {
  return isRecord(value) && typeof value['id'] === 'string'
}

export function acceptsCreateAvatarInput(value: unknown): boolean {
  return isRecord(value) && acceptsCreateAvatarRequest(value['body'])
}

export function acceptsCreateAvatarRequest(value: unknown): boolean {
  return (
    isRecord(value) &&
    (value['name'] === undefined || typeof value['name'] === 'string') &&
    (value['referenceImage'] === undefined || typeof value['referenceImage'] === 'string') &&
    (value['voice'] === undefined || acceptsAvatarVoice(value['voice'])) &&
    (value['personality'] === undefined || typeof value['personality'] === 'string') &&
    (value['documentIds'] === undefined || (Array.isArray(value['documentIds']) && hasItemsOf(value['documentIds'], isString)))
  )
}

export function acceptsCreateDocumentInput(value: unknown): boolean {
  return isRecord(value) && acceptsCreateDocumentRequest(value['body'])
}

export function acceptsCreateDocumentRequest(value: unknown): boolean {
  return isRecord(value)
}

export function acceptsCreateRealtimeSessionInput(value: unknown): boolean {
  return (
    isRecord(value) &&
    (value['body'] === undefined || acceptsCreateRealtimeSessionRequest(value['body']))
  )
}

export function acceptsCreateRealtimeSessionRequest(value: unknown): boolean {
  return isRecord(value)
}

export function acceptsCreateUploadInput(value: unknown): boolean {
  return isRecord(value) && (value['body'] === undefined || acceptsCreateUploadRequest(value['body']))
}

export function acceptsCreateUploadRequest(value: unknown): boolean {
  return isRecord(value)
}

export function acceptsDeleteAvatarInput(value: unknown): boolean {
  return isRecord(value) && hasStringId(value['path'])
}

export function acceptsDeleteDocumentInput(value: unknown): boolean {
  return isRecord(value) && hasStringId(value['path'])
}

export function acceptsDeleteTaskInput(value: unknown): boolean {
  return isRecord(value) && hasStringId(value['path'])
}

export function acceptsErrorBody(_value: unknown): boolean {
  return true
}

export function acceptsGetAvatarInput(value: unknown): boolean {
  return isRecord(value) && hasStringId(value['path'])
}

export function acceptsGetDocumentInput(value: unknown): boolean {
  return isRecord(value) && hasStringId(value['path'])
}

export function acceptsGetRealtimeSessionInput(value: unknown): boolean {
  return isRecord(value) && hasStringId(value['path'])
}

export function acceptsGetTaskInput(value: unknown): boolean {
  return isRecord(value) && hasStringId(value['path'])
}

export function acceptsImageToVideoInput(value: unknown): boolean {
  return isRecord(value) && acceptsImageToVideoRequest(value['body'])
}

export function acceptsImageToVideoRequest(value: unknown): boolean {
  return (
    isRecord(value) &&
    (value['model'] === undefined || acceptsImageToVideoModel(value['model'])) &&
    (value['promptImage'] === undefined || typeof value['promptImage'] === 'string') &&
    (value['promptText'] === undefined || typeof value['promptText'] === 'string') &&
    (value['ratio'] === undefined || typeof value['ratio'] === 'string') &&
    (value['duration'] === undefined || (typeof value['duration'] === 'number' && Number.isInteger(value['duration']) && value['duration'] >= 2 && value['duration'] <= 10))
  )
}

export function acceptsImageToVideoModel(value: unknown): boolean {
  return typeof value === 'string'
}

export function acceptsKnowledgeDocument(value: unknown): boolean {
  return isRecord(value)
}

export function acceptsOrganization(value: unknown): boolean {
  return isRecord(value)
}

export function acceptsQueryUsageInput(value: unknown): boolean {
  return isRecord(value) && (value['body'] === undefined || acceptsUsageQuery(value['body']))
}

export function acceptsUsageQuery(value: unknown): boolean {
  return isRecord(value)
}

export function acceptsRealtimeCredentials(_value: unknown): boolean {
  return true
}

export function acceptsRealtimeSession(value: unknown): boolean {
  return isRecord(value)
}

export function acceptsSoundEffectInput(value: unknown): boolean {
  return isRecord(value) && acceptsSoundEffectRequest(value['body'])
}

export function acceptsSoundEffectRequest(value: unknown): boolean {
  return isRecord(value) && (value['model'] === undefined || acceptsSoundEffectModel(value['model']))
}

export function acceptsSoundEffectModel(value: unknown): boolean {
  return typeof value === 'string'
}

export function acceptsSpeechToSpeechInput(value: unknown): boolean {
  return isRecord(value) && acceptsSpeechToSpeechRequest(value['body'])
}

export function acceptsSpeechToSpeechRequest(value: unknown): boolean {
  return isRecord(value) && (value['model'] === undefined || acceptsSpeechToSpeechModel(value['model']))
}

export function acceptsSpeechToSpeechModel(value: unknown): boolean {
  return typeof value === 'string'
}

export function acceptsTask(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value['id'] === 'string' &&
    acceptsTaskStatus(value['status']) &&
    (value['output'] === undefined || (Array.isArray(value['output']) && hasItemsOf(value['output'], isUriString))) &&
    (value['failure'] === undefined || typeof value['failure'] === 'string')
  )
}

export function acceptsTaskStatus(value: unknown): boolean {
  return (
    value === 'PENDING' || value === 'RUNNING' || value === 'SUCCEEDED' || value === 'FAILED' || value === 'THROTTLED'
  )
}

function isUriString(value: unknown): boolean {
  return typeof value === 'string' && isUri(value)
}

export function acceptsTaskSubmission(value: unknown): boolean {
  return isRecord(value) && typeof value['id'] === 'string'
}

export function acceptsTextToImageInput(value: unknown): boolean {
  return isRecord(value) && acceptsTextToImageRequest(value['body'])
}

export function acceptsTextToImageRequest(value: unknown): boolean {
  return (
    isRecord(value) &&
    (value['model'] === undefined || acceptsTextToImageModel(value['model'])) &&
    (value['promptImage'] === undefined || typeof value['promptImage'] === 'string') &&
    (value['promptText'] === undefined || typeof value['promptText'] === 'string') &&
    (value['ratio'] === undefined || typeof value['ratio'] === 'string') &&
    (value['duration'] === undefined || (typeof value['duration'] === 'number' && Number.isInteger(value['duration'])))
  )
}

export function acceptsTextToImageModel(value: unknown): boolean {
  return typeof value === 'string'
}

export function acceptsTextToSpeechInput(value: unknown): boolean {
  return isRecord(value) && acceptsTextToSpeechRequest(value['body'])
}

export function acceptsTextToSpeechRequest(value: unknown): boolean {
  return isRecord(value) && (value['model'] === undefined || acceptsTextToSpeechModel(value['model']))
}

export function acceptsTextToSpeechModel(value: unknown): boolean {
  return typeof value === 'string'
}

export function acceptsTextToVideoInput(value: unknown): boolean {
  return isRecord(value) && acceptsTextToVideoRequest(value['body'])
}

export function acceptsTextToVideoRequest(value: unknown): boolean {
  return (
    isRecord(value) &&
    (value['model'] === undefined || acceptsTextToVideoModel(value['model'])) &&
    (value['promptImage'] === undefined || typeof value['promptImage'] === 'string') &&
    (value['promptText'] === undefined || typeof value['promptText'] === 'string') &&
    (value['ratio'] === undefined || typeof value['ratio'] === 'string') &&
    (value['duration'] === undefined || (typeof value['duration'] === 'number' && Number.isInteger(value['duration']) && value['duration'] >= 2 && value['duration'] <= 10))
  )
}

export function acceptsTextToVideoModel(value: unknown): boolean {
  return typeof value === 'string'
}

export function acceptsUpdateAvatarInput(value: unknown): boolean {
  return isRecord(value) && hasStringId(value['path']) && acceptsUpdateAvatarRequest(value['body'])
}

export function acceptsUpdateAvatarRequest(value: unknown): boolean {
  return (
    isRecord(value) &&
    (value['name'] === undefined || typeof value['name'] === 'string') &&
    (value['voice'] === undefined || acceptsAvatarVoice(value['voice'])) &&
    (value['personality'] === undefined || typeof value['personality'] === 'string') &&
    (value['documentIds'] === undefined || (Array.isArray(value['documentIds']) && hasItemsOf(value['documentIds'], isString)))
  )
}

export function acceptsUpload(value: unknown): boolean {
  return isRecord(value)
}

export function acceptsUsageHistory(_value: unknown): boolean {
  return true
}

export function acceptsVideoToVideoInput(value: unknown): boolean {
  return isRecord(value) && acceptsVideoToVideoRequest(value['body'])
}

export function acceptsVideoToVideoRequest(value: unknown): boolean {
  return (
    isRecord(value) &&
    (value['model'] === undefined || acceptsVideoToVideoModel(value['model'])) &&
    (value['promptImage'] === undefined || typeof value['promptImage'] === 'string') &&
    (value['promptText'] === undefined || typeof value['promptText'] === 'string') &&
    (value['ratio'] === undefined || typeof value['ratio'] === 'string') &&
    (value['duration'] === undefined || (typeof value['duration'] === 'number' && Number.isInteger(value['duration']) && value['duration'] >= 2 && value['duration'] <= 10))
  )
}

export function acceptsVideoToVideoModel(value: unknown): boolean {
  return typeof value === 'string'
}

export function acceptsVoiceDubbingInput(value: unknown): boolean {
  return isRecord(value) && acceptsVoiceDubbingRequest(value['body'])
}

export function acceptsVoiceDubbingRequest(value: unknown): boolean {
  return isRecord(value) && (value['model'] === undefined || acceptsVoiceDubbingModel(value['model']))
}

export function acceptsVoiceDubbingModel(value: unknown): boolean {
  return typeof value === 'string'
}

export function acceptsVoiceIsolationInput(value: unknown): boolean {
  return isRecord(value) && acceptsVoiceIsolationRequest(value['body'])
}

export function acceptsVoiceIsolationRequest(value: unknown): boolean {
  return isRecord(value) && (value['model'] === undefined || acceptsVoiceIsolationModel(value['model']))
}

export function acceptsVoiceIsolationModel(value: unknown): boolean {
  return typeof value === 'string'
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

let uri: RegExp | undefined

/** Returns whether a string is a URI with a scheme (RFC 3986). As in Ajv, something must follow the scheme. */
export function isUri(value: string): boolean {
  // Most URIs match this pattern. The pattern for the whole grammar is compiled only when it is needed.
  if (
    /^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?(?:\/[\w.~!$&'()*+,;=:@/-]*)?(?:\?[\w.~!$&'()*+,;=:@/?-]*)?$/i.test(
      value,
    )
  )
    return true
  uri ??= uriExpression()
  return uri.test(value)
}

function uriExpression(): RegExp {
  const escaped = '%[0-9a-f]{2}'
  const plain = "a-z0-9\\-._~!$&'()*+,;="
  const character = `(?:[${plain}:@]|${escaped})`
  const byte = '(?:25[0-5]|2[0-4]\\d|[01]?\\d\\d?)'
  const group = '[0-9a-f]{1,4}'
  const last = `(?:${group}:${group}|(?:${byte}\\.){3}${byte})`
  const upTo = (count: number) => `(?:(?:${group}:){0,${count}}${group})?::`
  const shortened = [0, 1, 2, 3, 4].map((count) => `${upTo(count)}(?:${group}:){${4 - count}}${last}`)
  const ipv6 = [
    `(?:${group}:){6}${last}`,
    `::(?:${group}:){5}${last}`,
    ...shortened,
    `${upTo(5)}${group}`,
    upTo(6),
  ]
  const host = `(?:\\[(?:${ipv6.join('|')}|v[0-9a-f]+\\.[${plain}:]+)\\]|(?:[${plain}]|${escaped})*)`
  const authority = `(?:(?:[${plain}:]|${escaped})*@)?${host}(?::\\d*)?`
  const segments = `(?:/${character}*)*`
  const path = `(?:/?/${authority}${segments}|/(?:${character}+${segments})?|${character}+${segments})`
  const tail = `(?:[${plain}:@/?]|${escaped})*`
  return new RegExp(`^[a-z][a-z0-9+\\-.]*:${path}(?:\\?${tail})?(?:#${tail})?$`, 'i')
}
