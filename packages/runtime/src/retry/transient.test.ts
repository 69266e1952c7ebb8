import { describe, expect, it } from 'vitest'

import { ConnectionError, SocketError, TimeoutError } from '../core/errors.ts'
import { httpError } from '../poll/test-support/scripted-service.ts'
import { isTransient, isTransientStatus, type RetryUse } from './transient.ts'

const USES: readonly RetryUse[] = ['call', 'poll', 'download', 'connect']

describe('the table of transient failures', () => {
  it('R-27: 429, 500, 502, 503 and 504 are transient for every use, and other 4xx for none', () => {
    for (const use of USES) {
      for (const status of [429, 500, 502, 503, 504]) expect(isTransientStatus(status, use)).toBe(true)
      for (const status of [200, 301, 400, 401, 403, 404, 409, 410, 413, 422]) {
        expect(isTransientStatus(status, use)).toBe(false)
      }
    }
  })

  it.each([
    [408, ['poll', 'download', 'connect']],
    [425, ['poll', 'download', 'connect']],
    [206, ['download']],
    [416, ['download']],
    [501, ['poll', 'connect']],
    [599, ['poll', 'connect']],
  ] as const)('R-27: %i is transient for exactly %o', (status, uses) => {
    expect(USES.filter((use) => isTransientStatus(status, use))).toEqual(uses)
  })

  it('R-27: connection failures and time-outs are transient for every use, whatever was sent', () => {
    for (const use of USES) {
      for (const sent of ['no', 'maybe', 'yes'] as const) {
        expect(isTransient(new ConnectionError('x', { phase: 'receive', sent }), use)).toBe(true)
        expect(isTransient(new TimeoutError('x', { limitMs: 1, elapsedMs: 1, sent }), use)).toBe(true)
      }
      expect(isTransient(httpError(503), use)).toBe(true)
      expect(isTransient(httpError(404), use)).toBe(false)
      expect(isTransient(new TypeError('a mistake'), use)).toBe(false)
      expect(isTransient(undefined, use)).toBe(false)
    }
  })

  it('R-27: a refused upgrade is judged by its status', () => {
    const refused = (status: number): SocketError =>
      new SocketError('socket-refused', 'no', {
        refusal: { status, headers: () => new Headers(), body: '' },
      })
    expect(isTransient(refused(503), 'connect')).toBe(true)
    expect(isTransient(refused(401), 'connect')).toBe(false)
  })
})
