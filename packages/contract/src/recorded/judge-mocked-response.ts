import { invalidOptions, schemaOracle, type Spec } from '@concord/spec-model'

import { isJson, type HeaderLine } from '../http/exchange.ts'
import { documentedResponse, judgeResponse } from '../oracle/response-judge.ts'
import type { JudgedEntry } from './judge-har.ts'

/** A response of an operation. @public */
export interface OperationResponse {
  /** The `operationId`, or, if the contract has none, the method and path: `GET /jobs/{id}`. */
  readonly operation: string
  readonly status: number
  /** A JSON value, a string of another media type, or bytes. Absent for a response without a body. */
  readonly body?: unknown
  /** By default, the content type is the first one that the contract documents for the status. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Checks a response against a contract. @throws ContractError if the contract has no such operation. */
export function judgeMockedResponse(spec: Spec, given: OperationResponse): Omit<JudgedEntry, 'entry'> {
  const operation = spec.operations.find(({ id }) => id === given.operation)
  if (!operation) {
    const known = spec.operations.map(({ id }) => id).join(', ')
    throw invalidOptions(
      `The contract of ${spec.name} has no operation ${given.operation}.`,
      `It has: ${known}.`,
    )
  }
  const { status, body, headers = {} } = given
  const lines = Object.entries(headers) as HeaderLine[]
  const named = lines.find(([name]) => name.toLowerCase() === 'content-type')?.[1]
  const documented = documentedResponse(operation, status)
  const type = named ?? documented?.media[0]?.type
  const bytes =
    body === undefined
      ? new Uint8Array()
      : body instanceof Uint8Array
        ? body
        : Buffer.from(typeof body === 'string' && !isJson(type ?? '') ? body : JSON.stringify(body))
  const exchanged = {
    status,
    headers:
      named === undefined && type !== undefined && bytes.length > 0
        ? [...lines, ['content-type', type] as const]
        : lines,
    body: bytes,
  }
  const { findings } = judgeResponse(operation, schemaOracle(spec), exchanged)
  return { operation: operation.id, method: operation.method, path: operation.path, status, findings }
}
