import { describe, expect, it } from 'vitest'

import type { ChannelDescriptor } from '../core/descriptors.ts'
import { rejection } from '../http/test-support/fixtures.ts'
import { connect } from './connect.ts'
import { decode, toFrame } from './messages.ts'
import { planChannel } from './plan.ts'
import { coreOf } from '../http/client-state.ts'
import { Requests } from './requests.ts'
import { radio, studio } from './test-support/radio.ts'

describe('an address with parameters', () => {
  const rooms: ChannelDescriptor<unknown, unknown, unknown, { room: string; side?: string }> = {
    ...(radio as ChannelDescriptor<never, never, never, never>),
    address: '/rooms/{room}/{side}?v=2',
    parameters: [{ name: 'room' }, { name: 'side', default: 'left' }],
  }

  it('is filled with their values or defaults, and keeps its own query', async () => {
    const { client, requests } = studio()
    await connect(client, rooms, { parameters: { room: 'a/b c' }, query: { band: 'x' } })
    expect(requests[0]?.url).toBe('wss://service.test/prefix/rooms/a%2Fb%20c/left?v=2&band=x')
    await connect(client, rooms, { parameters: { room: 'a', side: 'right' } })
    expect(requests[1]?.url).toBe('wss://service.test/prefix/rooms/a/right?v=2')
    await client.close()
  })

  it("sends no handshake if a value is missing, can't be one segment of a path, or isn't in the address", async () => {
    const { client, requests } = studio()
    const reason = 'is missing, empty, or a dot segment (`.` or `..`)'
    for (const [parameters, path] of [
      [{}, '/parameters/room'],
      [{ room: '..' }, '/parameters/room'],
      [{ room: 'a', side: '' }, '/parameters/side'],
    ] as const) {
      const opened = connect(client, rooms, { parameters: parameters as never })
      expect(await rejection(opened)).toMatchObject({ code: 'invalid-request', issues: [{ path, reason }] })
    }
    const unknown = connect(client, rooms, { parameters: { room: 'a', rom: 'b' } as never })
    expect(await rejection(unknown)).toMatchObject({ issues: [{ path: '/parameters/rom' }] })
    expect(requests).toEqual([])
  })

  it('is checked with the schema of its parameters, if it has one', async () => {
    const { client } = studio()
    const values: unknown[] = []
    const checked = {
      ...rooms,
      parametersCheck: {
        accepts: () => false,
        schema: async () => ({
          '~standard': {
            version: 1 as const,
            vendor: 'test',
            validate: (value: unknown) => {
              values.push(value)
              return { issues: [{ message: 'must be a room', path: ['room'] }] }
            },
          },
        }),
      },
    }
    expect(await rejection(connect(client, checked, { parameters: { room: 'a' } }))).toMatchObject({
      issues: [{ path: '/parameters/room', reason: 'must be a room' }],
    })
    await rejection(connect(client, checked))
    expect(values).toStrictEqual([{ room: 'a', side: 'left' }, { side: 'left' }])
  })
})

describe('a text message that is not JSON', () => {
  const { client } = studio()
  const text = { kind: 'text', tags: [] } as const
  const plan = (messages: ChannelDescriptor['receives']) =>
    planChannel(coreOf(client, 'test'), { ...radio, sends: { note: text }, receives: messages })

  it('gets every text frame on a channel without JSON messages; on others, only those that match no JSON message', () => {
    const alone = plan({ note: text })
    expect(decode(alone, '{"type":"Tuned"}', undefined)).toMatchObject({
      plan: { key: 'note' },
      data: '{"type":"Tuned"}',
    })
    const mixed = plan({ ...radio.receives, note: text })
    expect(decode(mixed, '{"type":"Tuned"}', undefined)).toMatchObject({ plan: { key: 'tuned' } })
    expect(decode(mixed, '{"type":"New"}', undefined)).toMatchObject({
      plan: { key: 'note' },
      data: '{"type":"New"}',
    })
    expect(decode(mixed, '<a/>', undefined)).toMatchObject({ plan: { key: 'note' }, data: '<a/>' })
  })

  it('is sent as it is, and only if it is a string', () => {
    expect(toFrame(plan({}), 'note', '<a/>')).toBe('<a/>')
    expect(() => toFrame(plan({}), 'note', { a: 1 })).toThrow('must be a string')
  })
})

describe('a reply with a correlation id', () => {
  it('R-56: belongs to the message with the same value, in whatever order replies come', async () => {
    const { clock } = studio()
    const requests = new Requests(clock, 'radio', () => 0)
    const descriptor = { kind: 'json', tags: [], correlation: '/id' } as const
    const reply = (id?: number) => ({
      plan: { key: 'yes', descriptor },
      data: { id },
      sizeBytes: 1,
      base: undefined,
    })
    const ask = async (correlation: number | undefined, replied: number | undefined) => {
      const sent = Promise.withResolvers<void>()
      const send = async (onWritten: () => void): Promise<void> => {
        onWritten()
        sent.resolve()
      }
      const asked = requests.perform('ask', ['yes'], send, { signal: undefined, timeoutMs: 9, correlation })
      await sent.promise
      expect(requests.settle(reply(3))).toBe(correlation === undefined)
      if (correlation !== undefined) expect(requests.settle(reply(replied))).toBe(true)
      return (await asked).data
    }
    requests.noteSent(['yes'], 1)
    expect(await ask(2, 2)).toEqual({ id: 2 })
    expect(requests.settle(reply(1))).toBe(false)
    // Without the value in one of both, order decides.
    expect(await ask(4, undefined)).toEqual({ id: undefined })
    expect(await ask(undefined, undefined)).toEqual({ id: 3 })
  })
})
