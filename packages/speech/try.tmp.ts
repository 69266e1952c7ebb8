import { createEmulator } from '@concord/emulator'
import { virtualClock } from '@concord/runtime/testing'
import { Speech, presets } from './src/index.ts'
const clock = virtualClock()
const emulator = await createEmulator({ clock, seed: 1, log: (l, m) => console.log('LOG', l, m) })
const { apiUrl, agentUrl, apiKey, socketFactory, control } = emulator.speech
const speech = new Speech({ apiUrl, agentUrl, apiKey, clock, socketFactory, onDrift: (r) => console.log('DRIFT', r) })
control.faults.add({ kind: 'socket-drop', afterReceived: 12 })
const live = await speech.listen({ model: 'nova-3', encoding: 'linear16' } , { reconnect: true, timestamps: presets.emulator.timestamps })
const events: unknown[] = []
const reading = (async () => { for await (const e of live) events.push(e.type === 'event' ? e.data : e) })()
const chunk = new Uint8Array(3200)
for (let i = 0; i < 20; i++) { await live.sendAudio(chunk); await new Promise<void>((r) => clock.setTimer(r, 100)) }
console.log('silence from', clock.elapsedMs)
await new Promise<void>((r) => clock.setTimer(r, 120_000))
console.log(clock.elapsedMs, JSON.stringify(events), control.connections())
control.dropConnection(2)
await new Promise<void>((r) => clock.setTimer(r, 10_000))
await live.sendAudio(new Uint8Array(64_000))
await new Promise<void>((r) => clock.setTimer(r, 2_000))
console.log(JSON.stringify(events.slice(-2)))
await live.close(); await reading
console.log(control.connections().map((c) => [c.received, c.closed]))
const agent = await speech.agent({ v: 1 }, presets.emulator.agent)
await agent.sendAudio(new Uint8Array(32_000))
let n = 0
for await (const e of agent) { n++; console.log(e.type, e.type === 'audio' ? e.data.length : JSON.stringify(e.data)); if (n > 25) break; if (JSON.stringify(e.data)?.includes('AudioEnd')) break }
await agent.close()
let bytes = 0
for await (const b of speech.speakStream(['Hello', ' you', ''], presets.emulator.synthesis)) bytes += b.length
console.log(bytes)
const conv = await speech.converse({})
console.log(await conv.configure({ thresholds: { eot_threshold: 0.9 } }))
console.log(await conv.configure({ thresholds: { eot_threshold: 9 } }).catch((e) => e.message))
await conv.close()
await speech.close()
await emulator.close(); clock[Symbol.dispose]()
