import { inCheck, inSchema, plantMistakes } from '@concord/contract-kit'

import { tested } from './subject.ts'

const planter = await plantMistakes(tested)

planter.inDescriptors()
planter.inSources([
  ['a status without a check', 'validator', inCheck('TaskStatus', `value === 'PENDING'`, `value !== 1`)],
  [
    'a list whose items have no check',
    'validator',
    inCheck('Task', `hasItemsOf(value['output'], isUriString)`, 'true'),
  ],
  ['a limit without a check', 'validator', inCheck('TextToVideoRequest', ` && value['duration'] <= 10`, '')],
  ['a missing status', 'drift', inSchema('taskStatus', `,\n  'THROTTLED'`, '')],
  ['a misspelled status', 'drift', inSchema('taskStatus', `'SUCCEEDED'`, `'SUCCEDED'`)],
  [
    'an optional output made required',
    'drift',
    inSchema('task', 'output: z.optional(z.array(', 'output: ((one) => one)(z.array('),
  ],
  [
    'a required id made optional',
    'validator',
    inSchema('taskSubmission', 'id: z.string()', 'id: z.optional(z.string())'),
  ],
  [
    'a failure that must be a number',
    'drift',
    inSchema('task', 'failure: z.optional(z.string())', 'failure: z.optional(z.number())'),
  ],
  ['unknown fields rejected', 'drift', inSchema('task', 'z.looseObject', 'z.strictObject')],
  ['a missing status', 'validator', inSchema('taskStatus', `'PENDING',`, '')],
  [
    'a status that is not documented',
    'validator',
    inSchema('taskStatus', `'PENDING',`, `'PENDING', 'not a documented value',`),
  ],
  [
    'a model list that rejects other models',
    'validator',
    { file: 'schemas.gen.ts', from: /(export const textToVideoModel = )[^\n]*/, to: `$1z.enum(['gen4.5'])` },
  ],
  [
    'the version header with another value',
    'header',
    { file: 'operations.gen.ts', from: /value: '2024-11-06'/g, to: `value: '2025-01-01'` },
  ],
  [
    'two operations swapped in the API',
    'path',
    {
      file: 'api.gen.ts',
      from: /getAvatar: (.*)exchange\(getAvatar,/,
      to: 'getAvatar: $1exchange(getDocument,',
    },
  ],
  [
    'a path parameter under another name',
    'attempts',
    { file: 'operations.gen.ts', from: `'/v1/documents/{id}'`, to: `'/v1/documents/{document_id}'` },
  ],
])
planter.reportsNothing()
