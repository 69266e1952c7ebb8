import { describe, expect, it } from 'vitest'

import { judgeOf } from './checks/examples.ts'
import { readDocument } from './document.ts'
import type { Json } from './document.ts'

const judge = judgeOf(readDocument('extraction/openapi.yaml'))

/** Whether the contract accepts a value as one of its named schemas. */
const accepts = (schema: string, value: Json) => judge(`/components/schemas/${schema}`, value).length === 0

describe('the form of a submission', () => {
  const file = '(bytes)'
  const blueprint_id = '2f9f2a60-54f8-4c0b-9a55-7b0d2b8c6a11'

  it.each<[string, boolean, Json]>([
    ['only a file', true, { file }],
    ['a schema', true, { file, schema: '{}' }],
    ['a blueprint', true, { file, blueprint_id }],
    ['parts that the documentation does not name', true, { file, anything: 'standard' }],
    ['a boolean as text', true, { file, include_pages: 'true' }],
    ['schema and blueprint', false, { file, schema: '{}', blueprint_id }],
    ['no file', false, { schema: '{}' }],
    ['a boolean that is not text', false, { file, include_pages: true }],
    ['a schema that is not text', false, { file, schema: {} }],
    ['a blueprint id in another form than a UUID', false, { file, blueprint_id: 'invoices' }],
    ['a webhook without TLS', false, { file, webhook_url: 'http://hooks.example/' }],
  ])('with %s: accepted is %s', (_, accepted, value) => {
    expect(accepts('ProcessDocumentRequest', value)).toBe(accepted)
  })
})

describe('a device token', () => {
  const pending = { error: 'authorization_pending', api_key: null, key_prefix: null }

  it.each<[string, boolean, Json]>([
    ['all three fields', true, pending],
    ['a key, whatever the error says', true, { error: 'anything', api_key: 'k', key_prefix: 'p' }],
    ['an error that is not documented', true, { ...pending, error: 'slow_down' }],
    ['a field left out', false, { error: 'authorization_pending', api_key: null }],
  ])('with %s: accepted is %s', (_, accepted, value) => {
    expect(accepts('DeviceToken', value)).toBe(accepted)
  })
})

describe('jobs and results', () => {
  const id = '7d4c1f0e-9f6b-4c56-8a35-1f5f0f1c2b3a'

  it.each<[string, boolean, string, Json]>([
    ['a failed job of three fields', true, 'Job', { id, status: 'failed', error: 'corrupt' }],
    ["a job with fields that aren't documented", true, 'Job', { id, status: 'queued', pdf: 'somewhere' }],
    ['a job without a status', false, 'Job', { id }],
    ['a job with an optimizer status', false, 'Job', { id, status: 'running' }],
    ['an optimizer status with one l', false, 'OptimizationJob', { status: 'canceled' }],
    ['an optimization job with only its status', true, 'OptimizationJob', { status: 'pending' }],
    ['a result without data', true, 'Result', { text: 'a', text_preview: 'a' }],
    [
      'a result with text_url and no text',
      true,
      'Result',
      { text_preview: 'a', text_url: 'https://files.example/1' },
    ],
    [
      'a preview of 501 characters, since their unit is not shown',
      true,
      'Result',
      { text_preview: 'a'.repeat(501) },
    ],
    [
      'a field whose page is null, and without a value',
      true,
      'FieldEntry',
      { hil_flag: true, found_on_page: null },
    ],
    ['data of plain values', false, 'Result', { data: { total: 5 } }],
    [
      'data of field entries',
      true,
      'Result',
      { data: { total: { value: { nested: [1] }, hil_flag: false } } },
    ],
    ['a field without the review flag', false, 'FieldEntry', { value: 1 }],
    ['a page without a reason', true, 'PageEntry', { page_number: 1, review_reason: null }],
    ['one training document', false, 'OptimizationRequest', { training_documents: ['a'] }],
    ['an optimization without any field', true, 'OptimizationRequest', {}],
    ['a user code of two groups', true, 'DeviceCode', code('ab_é-....')],
    ['a user code without a hyphen', false, 'DeviceCode', code('BCDFGHJK')],
  ])('%s: accepted is %s', (_, accepted, schema, value) => {
    expect(accepts(schema, value)).toBe(accepted)
  })

  function code(user_code: string): Json {
    const page = 'https://app.example/device'
    return {
      device_code: 'd',
      user_code,
      verification_uri: page,
      verification_uri_complete: page,
      expires_in: 900,
      interval: 5,
    }
  }
})

describe('error bodies', () => {
  const page = { error: 'page_count_exceeded', message: 'm', page_count: 81, max_pages: 50, plan: 'free' }

  it.each<[string, boolean, string, Json]>([
    ['a string', true, 'ErrorBody', { detail: 'no' }],
    ['something that is not shown', true, 'ErrorBody', { detail: [{ at: 'file' }] }],
    ['no detail', false, 'ErrorBody', { error: 'no' }],
    ['a string in a 429', true, 'RateLimitErrorBody', { detail: 'slow down' }],
    ['the page-limit object in a 429', true, 'RateLimitErrorBody', { detail: page }],
    [
      'half of the page-limit object',
      false,
      'RateLimitErrorBody',
      { detail: { error: 'page_count_exceeded' } },
    ],
  ])('with %s: accepted is %s', (_, accepted, schema, value) => {
    expect(accepts(schema, value)).toBe(accepted)
  })
})
