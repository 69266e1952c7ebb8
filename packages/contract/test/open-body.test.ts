import { expect, it } from 'vitest'
import { readSpec, schemaOracle } from '@concord/spec-model'

import { judgeResponse } from '../src/oracle/response-judge.ts'

const JSON_CONTENT = { 'application/json': { schema: { type: 'object' } } }

const specWith = (notShown: readonly string[], content?: object, documented = 200) =>
  readSpec(
    {
      openapi: '3.1.0',
      info: { title: 'Parcels', version: '1' },
      paths: {
        '/parcel': {
          delete: {
            operationId: 'dropParcel',
            responses: {
              [documented]: { description: 'Dropped.', 'x-not-shown': notShown, ...(content && { content }) },
            },
          },
        },
      },
    },
    { file: 'parcels.yaml' },
  )
const findings = (notShown: readonly string[], body = 'anything', content?: object, status = 202) => {
  const spec = specWith(notShown, content, status < 300 ? 200 : status)
  const [operation] = spec.operations
  if (!operation) throw new Error('no operation')
  const response = { status, headers: [], body: Buffer.from(body) }
  return judgeResponse(operation, schemaOracle(spec), response).findings.map((one) => one.code)
}

it("a success whose body isn't documented may have any body", () => {
  expect(findings(['The status of a success.', 'The body.'])).toEqual([])
})

it('a success of which only the status is open must have no body', () => {
  expect(findings(['The status of a success.'])).toEqual(['response-body'])
})

it('a success with an open body may have no body even if one is documented', () => {
  const open = ['The status of a success.', 'The body. A record is written here.']
  expect(findings(open, '', JSON_CONTENT)).toEqual([])
  expect(findings(open, 'anything', JSON_CONTENT)).toEqual(['media-type'])
  expect(findings(['The status of a success.'], '', JSON_CONTENT)).toEqual(['media-type'])
})

it('an error with a documented body must have it, even if `x-not-shown` says that the body is open', () => {
  expect(findings(['The body.'], '', JSON_CONTENT, 404)).toEqual(['media-type'])
})
