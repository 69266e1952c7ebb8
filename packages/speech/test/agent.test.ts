import { expect, it } from 'vitest'

import { SettingsDeniedError } from '../src/socket-errors.ts'

import { bytes, jsonOf, rejection, take, wired } from './support.ts'

const acknowledged = (event: unknown) => (event as { ok?: boolean }).ok === true

it('opens the agent at its own URL, without a query', async () => {
  const wire = wired()
  await wire.speech.agent({}, { acknowledged })
  expect(wire.peer.url.href).toBe('wss://agent.test/v1/agent/converse')
})

it('R-56: sends the settings first, and holds audio back until `acknowledged` recognizes the acknowledgement', async () => {
  const wire = wired()
  const agent = await wire.speech.agent({ any: 'thing' }, { acknowledged })
  let ready = false
  void agent.ready.then(() => (ready = true))
  const sending = agent.sendFrom([bytes(1), bytes(2)])
  wire.peer.send('{"welcome":1}')
  wire.peer.send(bytes(9))
  await wire.clock.settle()
  expect(wire.peer.received).toEqual(['{"any":"thing"}'])
  expect(ready).toBe(false)
  wire.peer.send('{"ok":true}')
  await sending
  await agent.ready
  await wire.clock.settle()
  expect(wire.peer.received.slice(1)).toEqual([bytes(1), bytes(2)])
})

it('R-56: denied settings end the agent with a typed error for the reader, `ready` and senders', async () => {
  const wire = wired()
  const denied = (event: unknown) => (event as { bad?: boolean }).bad === true
  const agent = await wire.speech.agent({}, { acknowledged, denied, reconnect: true })
  const held = rejection(agent.sendAudio(bytes(1)))
  wire.peer.send('{"bad":true,"why":"no"}')
  const error = await held
  expect(error).toBeInstanceOf(SettingsDeniedError)
  expect(error).toMatchObject({
    code: 'operation-failed',
    advice: 'fix-input',
    reply: { bad: true, why: 'no' },
  })
  expect(await rejection(agent.ready)).toBe(error)
  expect(await rejection(take(agent, 2))).toBe(error)
  expect((await agent.closed).error).toBe(error)
  await wire.clock.advance(60_000)
  expect(wire.sockets.requests).toHaveLength(1)
})

it('R-56: settings that are never acknowledged end the agent with a TimeoutError', async () => {
  const wire = wired()
  const agent = await wire.speech.agent({}, { acknowledged, acknowledgeTimeoutMs: 2000 })
  void agent.sendAudio(bytes(1))
  await wire.clock.advance(2000)
  expect(await rejection(agent.ready)).toMatchObject({ code: 'timeout', limitMs: 2000 })
  expect(await agent.closed).toMatchObject({ unsent: { messages: 1, bytes: 1 } })
})

it('R-56: a new connection starts with updated settings, and with JSON that is marked for replay', async () => {
  const wire = wired()
  const agent = await wire.speech.agent({ voice: 'a' }, { acknowledged, reconnect: { baseMs: 0 } })
  wire.peer.send('{"ok":true}')
  await agent.ready
  await agent.update({ voice: 'b' })
  await agent.sendJson({ prompt: 'short' }, { replay: true })
  await agent.sendJson({ once: 1 })
  await wire.clock.settle()
  expect(jsonOf(wire.peer)).toEqual([{ voice: 'a' }, { voice: 'b' }, { prompt: 'short' }, { once: 1 }])
  for (const _ of [1, 2]) {
    wire.peer.drop()
    await wire.clock.advance(1)
    expect(jsonOf(wire.peer)).toEqual([{ voice: 'b' }])
    wire.peer.send('{"ok":true}')
    await wire.clock.settle()
    expect(jsonOf(wire.peer)).toEqual([{ voice: 'b' }, { prompt: 'short' }])
  }
})

it('yields audio and events in the order in which they arrived', async () => {
  const wire = wired()
  const agent = await wire.speech.agent({}, { acknowledged })
  wire.peer.send('{"ok":true}')
  wire.peer.send(bytes(1))
  wire.peer.send('{"said":"hello"}')
  expect(await take(agent, 3)).toEqual([
    { type: 'event', data: { ok: true } },
    { type: 'audio', data: bytes(1) },
    { type: 'event', data: { said: 'hello' } },
  ])
})

it("doesn't pass audio or the end of the connection to `acknowledged` or `denied`", async () => {
  const wire = wired()
  const seen: unknown[] = []
  const see = (event: unknown) => seen.push(event) < 0
  const agent = await wire.speech.agent({}, { acknowledged: see, denied: see })
  wire.peer.send(bytes(1))
  wire.peer.send('{"a":1}')
  wire.peer.close(1011)
  await agent.closed
  expect(seen).toEqual([{ a: 1 }, { a: 1 }])
})

it('`ready` rejects when the connection ends without an acknowledgement', async () => {
  const wire = wired()
  const agent = await wire.speech.agent({}, { acknowledged })
  wire.peer.close(1008, 'no')
  expect(await rejection(agent.ready)).toMatchObject({ code: 'socket-closed', closeCode: 1008 })
  const other = await wire.speech.agent({}, { acknowledged })
  await other.close()
  expect(await rejection(other.ready)).toMatchObject({ code: 'invalid-options', option: 'acknowledged' })
})

it('leaves no connection open when the settings cannot be sent', async () => {
  const wire = wired()
  const error = await rejection(wire.speech.agent('no object' as never, { acknowledged }))
  expect(error).toMatchObject({ code: 'invalid-request' })
  expect(wire.peer.received).toEqual([])
  expect(wire.peer.closedBy).toMatchObject({ code: 1000 })
})

it('rejects an agent without `acknowledged`, or without the base URL of the agent', async () => {
  const { speech, sockets } = wired()
  expect(await rejection(speech.agent({}, {} as never))).toMatchObject({ option: 'acknowledged' })
  const without = wired({ agentUrl: undefined } as object)
  expect(await rejection(without.speech.agent({}, { acknowledged }))).toMatchObject({
    code: 'invalid-options',
    option: 'agentUrl',
  })
  expect(sockets.requests).toHaveLength(0)
})

it('rejects a query, because the documentation says that the agent has none', async () => {
  const { speech, sockets } = wired()
  const extra = { query: { model: 'nova-3' } }
  expect(await rejection(speech.agent({}, { acknowledged, extra }))).toMatchObject({
    code: 'invalid-request',
    issues: [{ path: '/query/model' }],
  })
  expect(sockets.requests).toHaveLength(0)
})
