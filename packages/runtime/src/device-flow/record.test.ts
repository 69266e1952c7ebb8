import { describe, expect, it } from 'vitest'

import type { DeviceCodeRecord } from './authorize-device.ts'
import { readDeviceCode } from './run.ts'
import { CODE, RECORD } from './test-support/device.ts'

const read = (record: unknown) =>
  readDeviceCode(record as DeviceCodeRecord, 500, 1_000_000, 'createDeviceCode')

describe('the record of a device code', () => {
  it('R-44: times are counted from the receipt, by the clock that each is for', () => {
    expect(read(RECORD)).toEqual({
      secret: CODE,
      prompt: {
        user_code: 'ABCD-EFGH',
        verification_uri: 'https://web.example/device',
        verification_uri_complete: 'https://web.example/device?code=ABCD-EFGH',
        expires_in: 900,
        expiresAtMs: 1_900_000,
      },
      intervalMs: 7_000,
      receivedAt: 500,
      expiresAt: 900_500,
    })
  })

  it('R-44: the complete address is absent if the record has none', () => {
    const { verification_uri_complete: _, ...without } = RECORD
    expect(read(without).prompt).not.toHaveProperty('verification_uri_complete')
  })

  it.each([
    [undefined, 5_000],
    [0, 1_000],
    [0.5, 1_000],
    [1.5, 1_500],
  ])('R-44: an interval of %s s means %i ms', (interval, intervalMs) => {
    expect(read({ ...RECORD, interval }).intervalMs).toBe(intervalMs)
  })

  it.each<[string, unknown, string]>([
    ['/device_code', { ...RECORD, device_code: 5 }, '/device_code is not a string'],
    ['/user_code', { ...RECORD, user_code: '' }, '/user_code is not a string'],
    ['/verification_uri', { ...RECORD, verification_uri: null }, '/verification_uri is not a string'],
    ['/verification_uri_complete', { ...RECORD, verification_uri_complete: 5 }, '_complete is not a string'],
    ['/expires_in', { ...RECORD, expires_in: Infinity }, '/expires_in is not a number of seconds'],
    ['/expires_in', { ...RECORD, expires_in: -1 }, '/expires_in is not a number of seconds'],
    ['/interval', { ...RECORD, interval: Number.NaN }, '/interval is not a number of seconds'],
    ['/interval', { ...RECORD, interval: null }, '/interval is not a number of seconds'],
  ])('R-04: rejects a wrong %s', (path, record, message) => {
    expect(() => read(record)).toThrow(
      expect.objectContaining({
        code: 'contract-drift',
        operation: 'createDeviceCode',
        issues: [{ path, reason: expect.stringMatching(/^is not a /) }],
        message: expect.stringContaining(message),
      }),
    )
  })

  it.each([undefined, null, 'a record', 7])('R-04: rejects %s in place of a record', (record) => {
    expect(() => read(record)).toThrow(expect.objectContaining({ code: 'contract-drift' }))
  })
})
