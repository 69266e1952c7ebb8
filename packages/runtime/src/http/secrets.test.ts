import { describe, expect, it } from 'vitest'
import type { DriftReport } from '../core/events.ts'
import { collectSecrets } from './secrets.ts'
import { clientFor, getItem, json, KEY } from './test-support/fixtures.ts'

const nested = (depth: number, inner: object): object =>
  depth === 0 ? inner : { in: nested(depth - 1, inner) }

describe('the values that are removed from strings', () => {
  it.each([
    ['a string', { token: 'secret-1' }],
    ['a number', { a: null, token: 12_345_678 }],
    ['a bigint', { token: 12_345_678n }],
    ['a value below the name', { token: { values: ['other', null, ['secret-1']] } }],
    ['a number below the name', { token: [12_345_678] }],
    ['a value in a list', [{ token: 'secret-1' }]],
    ['a value eight levels deep', nested(8, { token: 'secret-1' })],
    ['a value eight levels below the name', { token: nested(8, { a: 'secret-1' }) }],
  ])('R-11: include %s', (_, value) => {
    expect(collectSecrets(['token'], [], value)('x secret-1 12345678')).toContain('[redacted]')
  })

  it('R-11: are not searched for below a limited depth', () => {
    const endless: Record<string, unknown> = {}
    endless['again'] = endless
    for (const value of [endless, { token: endless }, nested(10, { token: 'secret-1' })]) {
      expect(collectSecrets(['token'], [], value)('x secret-1')).toBe('x secret-1')
    }
  })

  it('R-11: include every credential of the client that was read so far', async () => {
    const reports: DriftReport[] = []
    const openEnums = [{ path: ['status'], values: ['done'] }]
    const client = clientFor(() => json({ status: `${KEY} other-key-1` }), {
      onDrift: (report) => reports.push(report),
      credentials: {
        key: { in: 'header', name: 'X-API-Key', value: () => KEY },
        other: { in: 'header', name: 'X-Other', value: 'other-key-1' },
        unread: { in: 'header', name: 'X-Unread', value: () => 'never read' },
      },
    })
    const operation = { ...getItem, responses: { 200: { kind: 'json', openEnums } } } as const
    await client.send(operation, { path: { item_id: 'a' } })
    expect(reports[0]?.issues[0]?.reason).toContain('"[redacted] [redacted]"')
  })
})
