import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, relative } from 'node:path'

import { log, note } from '@clack/prompts'
import { createEmulator, type Emulator } from '@concord/emulator'
import { memoryTransport, virtualClock, type VirtualClock } from '@concord/runtime/testing'
import { presets, Speech } from '@concord/speech'
import * as z from 'zod'

import { fromWav, joined, secondsOf, toWav, type Recording } from '../support/wav.ts'
import { table, type TourResult } from './screen.ts'

const SENTENCE = 'The ferry leaves at nine, and the harbor is quiet until the next one comes in at noon.'
/**
 * The emulator takes about this long to speak a word. The tour makes the emulator assume the same duration when it
 * recognizes words, so that it recognizes as many words as were spoken.
 */
const WORD_MS = 280
const PIECE_MS = 100
/** The shape of the emulator's events. The service's documentation doesn't describe them. */
const transcript = z.object({
  type: z.literal('Transcript'),
  text: z.string(),
  start: z.number(),
  end: z.number(),
})

/** The objects that the parts of this tour share. */
interface Stage {
  readonly speech: Speech
  readonly emulator: Emulator
  readonly clock: VirtualClock
}

/** Shows the speech service: synthesis, live transcription, a lost connection and an agent, on a virtual clock. */
export async function speechTour(output: string): Promise<TourResult> {
  using clock = virtualClock()
  const choices = { hearing: { wordMs: WORD_MS } }
  await using emulator = await createEmulator({ clock, speech: { choices } })
  const { apiUrl, agentUrl, apiKey, fetch, socketFactory } = emulator.speech
  const transport = memoryTransport(fetch)
  await using speech = new Speech({ apiUrl, agentUrl, apiKey, transport, socketFactory, clock })
  log.step('Speech, emulated in this process, on a virtual clock')
  const stage = { speech, emulator, clock }

  const file = await speak(speech, `${output}/sentence.wav`)
  const events = await transcribe(stage, file)
  const lostMs = await surviveDrop(stage, file)
  const reply = await converse(stage, `${output}/agent-reply.wav`)
  return {
    service: 'Speech',
    done: [
      `a sentence as a WAV file to play: ${shown(`${output}/sentence.wav`)}`,
      `the same file, transcribed in real time: ${events} events`,
      `a dropped connection, restored after a gap of ${lostMs} ms; timestamps continued`,
      `a conversation with an agent; its reply is in ${reply}`,
      `${Math.round(clock.elapsedMs / 1000)} s of virtual time`,
    ],
  }
}

async function speak(speech: Speech, path: string): Promise<Uint8Array<ArrayBuffer>> {
  const spoken = await speech.speak(presets.emulator.speakRequest(SENTENCE))
  const file = await spoken.bytes()
  await keep(path, file)
  log.success(`Spoken: ${secondsOf(fromWav(file)).toFixed(1)} s of ${spoken.contentType} in ${shown(path)}`)
  return file
}

/** Streams a file as a microphone would, and shows the events with their times. */
async function transcribe({ speech, emulator, clock }: Stage, file: Uint8Array): Promise<number> {
  emulator.speech.control.scriptTranscript({ text: SENTENCE, on: 'liveTranscription' })
  const beganMs = clock.monotonic()
  await using live = await speech.listen({ model: 'nova-3' }, { schema: transcript, containerized: true })
  // A WAV file names its own encoding, so `encoding` is omitted.
  void live.sendFrom(paced(clock, file, fromWav(file as Uint8Array<ArrayBuffer>)))
  void live.finish({ quietMs: 2_000 })
  const rows: string[][] = []
  for await (const event of live) {
    if (event.type !== 'event') continue
    const { start, end, text } = event.data
    rows.push([atSecond(clock.monotonic() - beganMs), `${start.toFixed(1)} to ${end.toFixed(1)} s`, text])
  }
  note(table(['at', 'of the audio', 'heard'], rows), 'sentence.wav, in real time')
  return rows.length
}

/** Streams raw samples over a connection that is lost midway. */
async function surviveDrop({ speech, emulator, clock }: Stage, file: Uint8Array): Promise<number> {
  const recording = fromWav(file as Uint8Array<ArrayBuffer>)
  const { control } = emulator.speech
  control.faults.add({ kind: 'socket-drop', operation: 'liveTranscription', afterReceived: 25 })
  await using live = await speech.listen(
    { model: 'nova-3', encoding: 'linear16' },
    {
      schema: transcript,
      reconnect: true,
      timestamps: { ...presets.emulator.timestamps, bytesPerSecond: 2 * recording.samplesPerSecond },
      // The parameter `sample_rate` isn't documented, but the emulator reads it.
      extra: { query: { sample_rate: recording.samplesPerSecond } },
    },
  )
  void live.sendFrom(paced(clock, recording.samples, recording))
  void live.finish({ quietMs: 2_000 })
  let gapMs = 0
  const stamps: string[] = []
  for await (const event of live) {
    if (event.type === 'event') stamps.push(`${event.data.start.toFixed(1)}-${event.data.end.toFixed(1)}`)
    if (event.type !== 'reconnected') continue
    gapMs = Math.round(event.data.gapMs)
    stamps.push('(gap)')
    log.warn(`The connection was lost (code ${event.data.closeCode}) and restored after ${gapMs} ms`)
  }
  log.success(`Timestamps of the events, in seconds: ${stamps.join(' ')}`)
  return gapMs
}

async function converse({ speech, emulator, clock }: Stage, path: string): Promise<string> {
  const { control } = emulator.speech
  const question = await speech.speak(presets.emulator.speakRequest('When does the ferry leave?'))
  control.scriptTranscript({ text: 'when does the ferry leave', on: 'agent' })
  control.scriptReply({ text: 'At nine, from the north pier.' })
  // The documentation describes neither the settings nor the event that acknowledges them. The preset recognizes the
  // emulator's event.
  await using agent = await speech.agent({}, presets.emulator.agent)
  const file = await question.bytes()
  void agent.sendFrom(paced(clock, file, fromWav(file)))
  const audio: Uint8Array[] = []
  for await (const event of agent) {
    if (event.type === 'audio') audio.push(event.data)
    if (event.type !== 'event') continue
    const { type, role, text } = event.data as Partial<Record<string, string>>
    if (text !== undefined) log.message(`${role}: ${text}`)
    if (type === 'AgentAudioEnd') break
  }
  const reply = { samples: joined(audio), samplesPerSecond: fromWav(file).samplesPerSecond }
  await keep(path, toWav(reply))
  log.success(`The agent replied with ${secondsOf(reply).toFixed(1)} s of audio in ${shown(path)}`)
  return shown(path)
}

/** Yields audio at the speed at which it would be spoken. */
async function* paced(clock: VirtualClock, bytes: Uint8Array, { samplesPerSecond }: Recording) {
  const pieceBytes = (2 * samplesPerSecond * PIECE_MS) / 1000
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    yield bytes.subarray(at, at + pieceBytes)
    await pause(clock, PIECE_MS)
  }
}

const pause = (clock: VirtualClock, ms: number) => new Promise<void>((done) => clock.setTimer(done, ms))
const shown = (path: string) => relative(process.cwd(), path)
const atSecond = (ms: number) => `${(ms / 1000).toFixed(1)} s`

async function keep(path: string, file: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, file)
}
