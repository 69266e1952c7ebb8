// Generated from specs/speech/openapi.yaml and specs/speech/asyncapi.yaml by @concord/generate. Do not edit.
import * as checks from './checks.gen.ts'
import type {
  AnalyzeTextInput,
  AnalyzeTextOutput,
  ErrorBody,
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
import type { OperationDescriptor } from '@concord/runtime'

/**
 * `POST /v1/listen`: transcribes a recorded file.
 *
 * @see `specs/speech/openapi.yaml#/paths/~1v1~1listen/post`
 */
export const transcribe: OperationDescriptor<TranscribeInput, TranscribeOutput, { readonly 429: ErrorBody; readonly default: ErrorBody }> = {
  id: 'transcribe',
  method: 'POST',
  path: '/v1/listen',
  server: 'apiUrl',
  security: ['apiKey', 'accessToken'],
  securityOptional: true,
  parameters: [
    { name: 'model', in: 'query', required: false },
    { name: 'encoding', in: 'query', required: false },
    { name: 'language', in: 'query', required: false },
    { name: 'utterance_end_ms', in: 'query', required: false },
    { name: 'smart_format', in: 'query', required: false },
    { name: 'diarize', in: 'query', required: false },
    { name: 'punctuate', in: 'query', required: false },
    { name: 'summarize', in: 'query', required: false },
    { name: 'sentiment', in: 'query', required: false },
    { name: 'topics', in: 'query', required: false },
    { name: 'intents', in: 'query', required: false },
    { name: 'redact', in: 'query', required: false },
  ],
  body: { kind: 'binary', contentType: '*/*', required: true },
  check: checks.transcribeInput,
  responses: {
    200: { kind: 'json', contentType: 'application/json', openStatus: true, check: checks.transcript },
    429: {
      kind: 'json',
      contentType: 'application/json',
      check: checks.errorBody,
      rateMeanings: [{ meaning: 'connections', retryHelps: true }],
    },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'unsent-only' },
  outcome: { again: 'repeats' },
  secrets: [],
}

/**
 * `POST /v1/speak`: synthesizes speech in one call.
 *
 * @see `specs/speech/openapi.yaml#/paths/~1v1~1speak/post`
 */
export const synthesize: OperationDescriptor<SynthesizeInput, SynthesizeOutput, { readonly 429: ErrorBody; readonly default: ErrorBody }> = {
  id: 'synthesize',
  method: 'POST',
  path: '/v1/speak',
  server: 'apiUrl',
  security: ['apiKey', 'accessToken'],
  securityOptional: true,
  parameters: [],
  body: { kind: 'json', contentType: 'application/json', required: false },
  check: checks.synthesizeInput,
  responses: {
    200: { kind: 'binary', contentType: '*/*', openStatus: true },
    429: {
      kind: 'json',
      contentType: 'application/json',
      check: checks.errorBody,
      rateMeanings: [{ meaning: 'connections', retryHelps: true }],
    },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'unsent-only' },
  outcome: { again: 'repeats' },
  secrets: [],
}

/**
 * `POST /v1/read`: analyzes text.
 *
 * @see `specs/speech/openapi.yaml#/paths/~1v1~1read/post`
 */
export const analyzeText: OperationDescriptor<AnalyzeTextInput, AnalyzeTextOutput, { readonly 429: ErrorBody; readonly default: ErrorBody }> = {
  id: 'analyzeText',
  method: 'POST',
  path: '/v1/read',
  server: 'apiUrl',
  security: ['apiKey', 'accessToken'],
  securityOptional: true,
  parameters: [],
  body: { kind: 'json', contentType: 'application/json', required: false },
  check: checks.analyzeTextInput,
  responses: {
    200: { kind: 'json', contentType: 'application/json', openStatus: true, check: checks.textAnalysis },
    429: {
      kind: 'json',
      contentType: 'application/json',
      check: checks.errorBody,
      rateMeanings: [{ meaning: 'connections', retryHelps: true }],
    },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'unsent-only' },
  outcome: { again: 'repeats' },
  secrets: [],
}

/**
 * `GET /v1/models`: lists the models.
 *
 * @see `specs/speech/openapi.yaml#/paths/~1v1~1models/get`
 */
export const listModels: OperationDescriptor<ListModelsInput, ListModelsOutput, { readonly 429: ErrorBody; readonly default: ErrorBody }> = {
  id: 'listModels',
  method: 'GET',
  path: '/v1/models',
  server: 'apiUrl',
  security: ['apiKey', 'accessToken'],
  securityOptional: true,
  parameters: [],
  responses: {
    200: { kind: 'json', contentType: 'application/json', openStatus: true, check: checks.modelList },
    429: {
      kind: 'json',
      contentType: 'application/json',
      check: checks.errorBody,
      rateMeanings: [{ meaning: 'connections', retryHelps: true }],
    },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'safe' },
  secrets: [],
}

/**
 * `POST /v1/auth/grant`: grants a token.
 *
 * @see `specs/speech/openapi.yaml#/paths/~1v1~1auth~1grant/post`
 */
export const grantToken: OperationDescriptor<GrantTokenInput, GrantTokenOutput, { readonly 429: ErrorBody; readonly default: ErrorBody }> = {
  id: 'grantToken',
  method: 'POST',
  path: '/v1/auth/grant',
  server: 'apiUrl',
  security: ['apiKey', 'accessToken'],
  securityOptional: true,
  parameters: [],
  body: { kind: 'json', contentType: 'application/json', required: false },
  check: checks.grantTokenInput,
  responses: {
    200: { kind: 'json', contentType: 'application/json', openStatus: true, check: checks.grant },
    429: {
      kind: 'json',
      contentType: 'application/json',
      check: checks.errorBody,
      rateMeanings: [{ meaning: 'connections', retryHelps: true }],
    },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'unsent-only' },
  outcome: { again: 'harmless' },
  secrets: ['*'],
}

/**
 * `GET /v1/agent/settings/think/models`: lists the language models for the agent.
 *
 * @see `specs/speech/openapi.yaml#/paths/~1v1~1agent~1settings~1think~1models/get`
 */
export const listThinkModels: OperationDescriptor<ListThinkModelsInput, ListThinkModelsOutput, { readonly 429: ErrorBody; readonly default: ErrorBody }> = {
  id: 'listThinkModels',
  method: 'GET',
  path: '/v1/agent/settings/think/models',
  server: 'agentUrl',
  security: ['apiKey', 'accessToken'],
  securityOptional: true,
  parameters: [],
  responses: {
    200: { kind: 'json', contentType: 'application/json', openStatus: true, check: checks.thinkModelList },
    429: {
      kind: 'json',
      contentType: 'application/json',
      check: checks.errorBody,
      rateMeanings: [{ meaning: 'connections', retryHelps: true }],
    },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'safe' },
  secrets: [],
}
