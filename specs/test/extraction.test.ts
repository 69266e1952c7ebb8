import { readDocument } from './document.ts'
import { testVerdicts } from './values.ts'

const file = '(bytes)'
const blueprint_id = '2f9f2a60-54f8-4c0b-9a55-7b0d2b8c6a11'
const id = '7d4c1f0e-9f6b-4c56-8a35-1f5f0f1c2b3a'
const pending = { error: 'authorization_pending', api_key: null, key_prefix: null }
const tooLong = { error: 'page_count_exceeded', message: 'm', page_count: 81, max_pages: 50, plan: 'free' }
const codeWith = (user_code: string): unknown => ({
  device_code: 'd',
  user_code,
  verification_uri: 'https://app.example/device',
  verification_uri_complete: 'https://app.example/device',
  expires_in: 900,
  interval: 5,
})

testVerdicts(readDocument('extraction/openapi.yaml'), [
  ['ProcessDocumentRequest', 'accepts', 'only a file', { file }],
  ['ProcessDocumentRequest', 'accepts', 'a schema', { file, schema: '{}' }],
  ['ProcessDocumentRequest', 'accepts', 'a blueprint', { file, blueprint_id }],
  ['ProcessDocumentRequest', 'accepts', 'parts without documentation', { file, anything: 'standard' }],
  ['ProcessDocumentRequest', 'accepts', 'a boolean as text', { file, include_pages: 'true' }],
  ['ProcessDocumentRequest', 'rejects', 'schema and blueprint', { file, schema: '{}', blueprint_id }],
  ['ProcessDocumentRequest', 'rejects', 'no file', { schema: '{}' }],
  ['ProcessDocumentRequest', 'rejects', 'a boolean that is not text', { file, include_pages: true }],
  ['ProcessDocumentRequest', 'rejects', 'a schema that is not text', { file, schema: {} }],
  ['ProcessDocumentRequest', 'rejects', 'a blueprint other than a UUID', { file, blueprint_id: 'invoices' }],
  ['ProcessDocumentRequest', 'rejects', 'a webhook without TLS', { file, webhook_url: 'http://a.example/' }],
  ['DeviceToken', 'accepts', 'all three fields', pending],
  ['DeviceToken', 'accepts', 'a key with any error', { error: 'anything', api_key: 'k', key_prefix: 'p' }],
  ['DeviceToken', 'accepts', 'an error without documentation', { ...pending, error: 'slow_down' }],
  ['DeviceToken', 'rejects', 'a field left out', { error: 'authorization_pending', api_key: null }],
  ['DeviceCode', 'accepts', 'a user code of two groups', codeWith('ab_é-....')],
  ['DeviceCode', 'rejects', 'a user code without a hyphen', codeWith('BCDFGHJK')],
  ['Job', 'accepts', 'a failed job of three fields', { id, status: 'failed', error: 'corrupt' }],
  ['Job', 'accepts', 'fields without documentation', { id, status: 'queued', pdf: 'somewhere' }],
  ['Job', 'rejects', 'no status', { id }],
  ['Job', 'rejects', 'the status of an optimization', { id, status: 'running' }],
  ['OptimizationJob', 'accepts', 'only a status', { status: 'pending' }],
  ['OptimizationJob', 'rejects', 'a status with one l', { status: 'canceled' }],
  ['OptimizationRequest', 'accepts', 'no fields', {}],
  ['OptimizationRequest', 'rejects', 'one training document', { training_documents: ['a'] }],
  ['Result', 'accepts', 'no data', { text: 'a', text_preview: 'a' }],
  ['Result', 'accepts', 'text_url and no text', { text_preview: 'a', text_url: 'https://files.example/1' }],
  // The documentation doesn't say what it counts.
  ['Result', 'accepts', 'a preview of 501 characters', { text_preview: 'a'.repeat(501) }],
  ['Result', 'accepts', 'field entries', { data: { total: { value: { nested: [1] }, hil_flag: false } } }],
  ['Result', 'rejects', 'plain values', { data: { total: 5 } }],
  ['FieldEntry', 'accepts', 'no value, and null as its page', { hil_flag: true, found_on_page: null }],
  ['FieldEntry', 'rejects', 'no review flag', { value: 1 }],
  ['PageEntry', 'accepts', 'null as its reason', { page_number: 1, review_reason: null }],
  ['ErrorBody', 'accepts', 'a string', { detail: 'no' }],
  ['ErrorBody', 'accepts', 'a detail of any form', { detail: [{ at: 'file' }] }],
  ['ErrorBody', 'rejects', 'no detail', { error: 'no' }],
  ['RateLimitErrorBody', 'accepts', 'a string', { detail: 'slow down' }],
  ['RateLimitErrorBody', 'accepts', 'the object of the page limit', { detail: tooLong }],
  ['RateLimitErrorBody', 'rejects', 'half of that object', { detail: { error: 'page_count_exceeded' } }],
])
