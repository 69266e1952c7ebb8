import { inCheck, inSchema, plantMistakes, type SourceMistake, type TextChange } from '@concord/contract-kit'
import { describe, it } from 'vitest'

import type { FindingCode } from '@concord/contract'
import { deviceCode, errorBody, job, rateLimitErrorBody } from '@concord/extraction-validators'
import type { OperationDescriptor, StandardSchema } from '@concord/runtime'

import { tested } from './subject.ts'

const planter = await plantMistakes(tested)

type Change = (operation: OperationDescriptor) => Partial<OperationDescriptor>
type Responses = OperationDescriptor['responses']

const json = (schema: StandardSchema): Responses[string] => ({
  kind: 'json',
  contentType: 'application/json',
  check: { schema: () => schema },
})
const unchecked: Responses[string] = { kind: 'json', contentType: 'application/json' }
const withResponses = ({ responses }: OperationDescriptor, changed: Responses) => ({
  responses: { ...responses, ...changed },
})
const withoutResponse = ({ responses }: OperationDescriptor, status: string) => {
  const { [status]: _dropped, ...rest } = responses
  return { responses: rest }
}
const withoutMeaning = (response: Responses[string] | undefined, lost: string) => ({
  ...json(rateLimitErrorBody),
  rateMeanings: (response?.rateMeanings ?? []).filter(({ meaning }) => meaning !== lost),
})
const withBody = ({ body }: OperationDescriptor, change: object) =>
  ({ body: { ...body, ...change } }) as Partial<OperationDescriptor>
const parts = ({ body }: OperationDescriptor) => body?.parts ?? {}

// Mistakes in one operation each. `planter.inDescriptors` plants other mistakes, in every operation.
describe('mistakes in the descriptors', () => {
  const mistakes: [kind: string, expected: FindingCode, id: string, change: Change][] = [
    ['a lost trailing slash', 'path', 'listBlueprints', () => ({ path: '/v1/blueprints' })],
    ['an added trailing slash', 'path', 'listPipelines', () => ({ path: '/v1/pipelines/' })],
    ['a dropped path parameter', 'path', 'getPreview', () => ({ path: '/v1/preview/', parameters: [] })],
    [
      'swapped statuses',
      'drift',
      'createDeviceCode',
      (o) => withResponses(o, { 200: json(errorBody), 500: json(deviceCode) }),
    ],
    [
      'another success status',
      'drift',
      'createDeviceCode',
      (o) => ({ responses: { ...withoutResponse(o, '200').responses, 201: json(deviceCode) } }),
    ],
    [
      'an open success status taken for the only one',
      'drift',
      'getJob',
      (o) => withResponses(o, { 200: { ...o.responses['200']!, openStatus: false } }),
    ],
    ['a dropped `default`', 'drift', 'getPreview', (o) => withoutResponse(o, 'default')],
    [
      'a dropped error status and `default`',
      'drift',
      'getJob',
      ({ responses }) => ({ responses: { 200: responses['200']! } }),
    ],
    ['a mistyped error body', 'drift', 'getJob', (o) => withResponses(o, { 404: json(job) })],
    ['an error body that is not checked', 'validator', 'getJob', (o) => withResponses(o, { 429: unchecked })],
    ['a response that is not checked', 'validator', 'getJob', (o) => withResponses(o, { 200: unchecked })],
    [
      'a lost meaning of a 429, so that another one is reported',
      'rate-meaning',
      'getJob',
      (o) => withResponses(o, { 429: withoutMeaning(o.responses['429'], 'page-quota') }),
    ],
    [
      'a request that is not checked',
      'validator',
      'startOptimization',
      () => ({ check: undefined as never }),
    ],
    [
      'the wrong kind of body: a form for JSON',
      'content-type',
      'startOptimization',
      (o) => withBody(o, { kind: 'multipart', contentType: 'multipart/form-data', parts: {} }),
    ],
    [
      'the wrong kind of body: JSON for a form',
      'content-type',
      'processDocument',
      (o) => withBody(o, { kind: 'json', contentType: 'application/json' }),
    ],
    [
      'a part that is encoded twice',
      'part',
      'processDocument',
      (o) => withBody(o, { parts: { ...parts(o), schema: { kind: 'json' } } }),
    ],
  ]
  it.each(mistakes)('%s: found as [%s] (%s)', async (kind, expected, id, change) => {
    const { generated } = tested
    const operation = generated.operations[id]
    if (!operation) throw new Error(`there is no operation ${id}`)
    const operations = { ...generated.operations, [id]: { ...operation, ...change(operation) } }
    await planter.expectCaught(`${kind} (${id})`, expected, () => ({ ...generated, operations }), id)
  })
})

const source = (
  from: string | RegExp,
  to: string,
  file: TextChange['file'] = 'schemas.gen.ts',
): TextChange => ({ file, from, to })
const sources: readonly SourceMistake[] = [
  [
    'two operations swapped in the API',
    'path',
    source(/getJob: (.*)exchange\(getJob,/, 'getJob: $1exchange(getOptimizationJob,', 'api.gen.ts'),
  ],
  [
    'an operation is missing from the API',
    'attempts',
    source(/ +getPreview: .*exchange\(.*\n/, '', 'api.gen.ts'),
  ],
  [
    'a path parameter under another name',
    'attempts',
    source(`'/v1/preview/{token}'`, `'/v1/preview/{preview_token}'`, 'operations.gen.ts'),
  ],
  [
    'a multipart part that gets lost',
    'part',
    source(
      'exchange(processDocument, input,',
      'exchange(processDocument, { body: { ...input.body, webhook_url: undefined } },',
      'api.gen.ts',
    ),
  ],
  [
    'the file part that gets lost',
    'attempts',
    source(
      'exchange(processDocument, input,',
      'exchange(processDocument, { body: { ...input.body, file: undefined } } as never,',
      'api.gen.ts',
    ),
  ],
  ['an unchecked id', 'validator', inCheck('Job', `isUuid(value['id'])`, 'true')],
  ['an unchecked status', 'validator', inCheck('JobStatus', `value === 'queued'`, 'value !== 1')],
  ['an unchecked map', 'validator', inCheck('ExtractedFields', 'isMapOf(value, acceptsFieldEntry)', 'true')],
  [
    'a required property that is not checked',
    'validator',
    inCheck('FieldEntry', `typeof value['hil_flag'] === 'boolean'`, 'true'),
  ],
  [
    'an unchecked exclusion',
    'validator',
    inCheck(
      'ProcessDocumentRequest',
      `(value['schema'] === undefined || value['blueprint_id'] === undefined)`,
      'true',
    ),
  ],
  [
    'an unchecked length of a list',
    'validator',
    inCheck('OptimizationRequest', `value['training_documents'].length >= 2`, 'true'),
  ],
  ['a missing enum value', 'drift', inSchema('jobStatus', `\n  'failed'`, '')],
  [
    'an invented enum value',
    'validator',
    inSchema('jobStatus', `'queued',`, `'queued',\n  'not a documented value',`),
  ],
  ['a misspelled enum value', 'drift', source(`'cancelled'`, `'canceled'`)],
  [
    'an open enum that is closed',
    'validator',
    source(
      'deviceTokenErrorCode = /*#__PURE__*/ z.string()',
      `deviceTokenErrorCode = z.enum(['authorization_pending', 'access_denied', 'expired_token'])`,
    ),
  ],
  ['an optional field made required', 'drift', inSchema('job', 'metadata: z.optional(metadata)', 'metadata')],
  [
    'a required field made optional',
    'validator',
    inSchema('submission', `z.literal('queued')`, `z.optional(z.literal('queued'))`),
  ],
  [
    'a required open field made optional',
    'validator',
    inSchema('errorBody', `errorDetail.check(z.refine(isPresent, 'is required'))`, 'z.optional(errorDetail)'),
  ],
  [
    'a wrong type',
    'drift',
    inSchema('deviceCode', `z.number().check(z.refine(isInteger, 'must be a whole number'))`, 'z.string()'),
  ],
  [
    'a renamed property',
    'validator',
    inSchema('fieldEntry', 'hil_flag: z.boolean()', 'hilFlag: z.optional(z.boolean())'),
  ],
  ['null is lost', 'drift', inSchema('pageEntry', 'z.nullish(z.string())', 'z.optional(z.string())')],
  [
    'null is lost in an always-present field',
    'drift',
    inSchema('deviceToken', 'api_key: z.nullable(z.string())', 'api_key: z.string()'),
  ],
  [
    'nullable read as optional',
    'validator',
    inSchema('deviceToken', 'key_prefix: z.nullable(z.string())', 'key_prefix: z.nullish(z.string())'),
  ],
  [
    'a dropped format',
    'validator',
    inSchema('job', `z.string().check(z.refine(isUuid, 'must be a UUID'))`, 'z.string()'),
  ],
  ['a dropped pattern', 'validator', inSchema('deviceCode', '.check(z.regex(/^.{4}-.{4}$/u))', '')],
  ['a dropped list limit', 'validator', inSchema('optimizationRequest', '.check(z.minLength(2))', '')],
  [
    'an integer read as a number',
    'validator',
    inSchema('metadata', `.check(z.refine(isInteger, 'must be a whole number'))`, ''),
  ],
  ['a wrong constant', 'drift', inSchema('submission', `'queued'`, `'accepted'`)],
  [
    'a wrong event name of the webhook',
    'validator',
    source(`z.literal('job.completed')`, `z.literal('job.complete')`),
  ],
  [
    'an exclusion that is dropped',
    'validator',
    inSchema(
      'processDocumentRequest',
      `.check(z.refine(lacksOneOf('schema', 'blueprint_id'), 'must not have \`schema\` and \`blueprint_id\` together'))`,
      '',
    ),
  ],
  ['unknown fields rejected', 'drift', inSchema('job', 'z.looseObject', 'z.strictObject')],
  ['an alternative that is lost', 'drift', inSchema('rateLimitErrorBody', 'pageLimitDetail', 'z.never()')],
  [
    'the entries of a map are not checked',
    'validator',
    inSchema('extractedFields', 'fieldEntry', 'z.unknown()'),
  ],
  [
    'the items of a list are not checked',
    'validator',
    inSchema('result', 'z.array(pageEntry)', 'z.array(z.unknown())'),
  ],
  ['an open value that is narrowed', 'drift', inSchema('fieldValue', 'z.unknown()', 'z.string()')],
  [
    'a list where the documentation shows no shape',
    'drift',
    inSchema('blueprintList', 'z.unknown()', 'z.looseObject({})'),
  ],
  ['an object read as text', 'validator', inSchema('jsonSchemaObject', 'z.looseObject({})', 'z.string()')],
  [
    'a request of another operation',
    'attempts',
    source('checks.getJobInput', 'checks.getPreviewInput', 'operations.gen.ts'),
  ],
]
planter.inSources(sources)

planter.inDescriptors()
planter.reportsNothing()
