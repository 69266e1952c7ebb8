import { randomUUID } from 'node:crypto'

import type { Operation, Spec } from '@concord/spec-model'

import type { RecordedResponse, RecordedRequest } from '../http/exchange.ts'
import type { Forwarder } from '../http/forward.ts'
import { matchOperation } from '../oracle/parameters.ts'

/**
 * Requests a path that the contract doesn't have. A successful response proves something only if the response to such a
 * request is different: otherwise, a server that responds to everything alike would pass.
 */
export class Controls {
  readonly #path: string
  readonly #responses = new Map<string, Promise<RecordedResponse | undefined>>()

  constructor(spec: Spec) {
    this.#path = pathOfNothing(spec.operations)
  }

  /**
   * Requests a path that doesn't exist, with the headers of another request. Returns undefined if there was no
   * response.
   */
  responseTo(
    forwarder: Forwarder,
    address: string,
    { headers }: RecordedRequest,
  ): Promise<RecordedResponse | undefined> {
    const kept = headers.filter(([name]) => name !== 'content-type')
    const key = JSON.stringify([address, kept])
    const known = this.#responses.get(key)
    if (known) return known
    const request = { method: 'GET', target: this.#path, headers: kept, body: new Uint8Array() }
    const response = forwarder.send(request).catch(() => undefined)
    this.#responses.set(key, response)
    return response
  }
}

function pathOfNothing(operations: readonly Operation[]): string {
  let path = `/no-such-path-${randomUUID()}`
  while (matchOperation(operations, 'GET', path)) path += '/no-such-path'
  return path
}
