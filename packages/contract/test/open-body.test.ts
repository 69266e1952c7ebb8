import { expect, it } from 'vitest'

import { judgeResponse } from '../src/oracle/response-judge.ts'
import { schemaOracle } from '../src/oracle/schema-oracle.ts'
import { readSpec } from '../src/spec/read-spec.ts'

const specWith = (notShown: readonly string[]) =>
  readSpec(
    {
      openapi: '3.1.0',
      info: { title: 'Parcels', version: '1' },
      paths: {
        '/parcel': {
          delete: {
            operationId: 'dropParcel',
            responses: { 200: { description: 'Dropped.', 'x-not-shown': notShown } },
          },
        },
      },
    },
    { file: 'parcels.yaml' },
  )
const findings = (notShown: readonly string[]) => {
  const spec = specWith(notShown)
  const [operation] = spec.operations
  if (!operation) throw new Error('no operation')
  const answer = { status: 202, headers: [], body: Buffer.from('anything') }
  return judgeResponse(operation, schemaOracle(spec), answer).findings.map((one) => one.code)
}

it('a success whose body is not shown may have any body', () => {
  expect(findings(['The status of a success.', 'The body.'])).toEqual([])
})

it('a success of which only the status is open has no body', () => {
  expect(findings(['The status of a success.'])).toEqual(['response-body'])
})
