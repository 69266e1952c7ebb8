import { type ChannelDescriptor, connect as open, createClient } from '@concord/runtime'
import { z } from 'zod'

import type { SocketHold } from '../subject.ts'
import type { Transcript } from '../transcript.ts'

const word = z.looseObject({ word: z.string(), start: z.number(), end: z.number(), confidence: z.number() })
const transcript = z.looseObject({
  type: z.literal('Transcript'),
  start: z.number(),
  duration: z.number(),
  final: z.boolean(),
  text: z.string(),
  words: z.array(word),
})
const count = z.looseObject({ type: z.literal('Count'), bytes: z.int() })

/** A channel as the generator would write it, with ordinary zod schemas and the quick checks for them, which stand below. */
const channel: ChannelDescriptor<
  unknown,
  { readonly audio: Uint8Array; readonly ask: { readonly send?: number } },
  { readonly transcript: Transcript; readonly count: { readonly type: 'Count'; readonly bytes: number } }
> = {
  id: 'bench',
  address: '/',
  server: 'api',
  security: [],
  query: [],
  sends: { audio: { kind: 'binary', tags: [] }, ask: { kind: 'json', tags: [] } },
  receives: {
    transcript: {
      kind: 'json',
      tags: [{ pointer: '/type', equals: 'Transcript' }],
      check: { accepts: acceptsTranscript, schema: () => transcript },
    },
    count: {
      kind: 'json',
      tags: [{ pointer: '/type', equals: 'Count' }],
      check: { accepts: acceptsCount, schema: () => count },
    },
  },
  replies: { ask: ['count'] },
  rules: {
    keepAlive: { message: 'ask', payload: {}, minIntervalMs: 3000, maxIntervalMs: 5000 },
  },
  secrets: [],
}

/** Ours: messages told apart, checked against their schemas, read with `for await`, with a keep-alive on the channel. */
export async function connect(origin: string): Promise<SocketHold> {
  const connection = await open(createClient({ servers: { api: origin } }), channel, { validate: 'enforce' })
  return {
    async sendFrames(frame, frames) {
      for (let index = 0; index < frames; index++) await connection.sendBinary(frame)
      const { data } = await connection.request('ask', {})
      return (data as { bytes: number }).bytes
    },
    async receive(messages) {
      await connection.send('ask', { send: messages })
      let left = messages
      let sum = 0
      for await (const event of connection) {
        if (event.message !== 'transcript') continue
        sum += event.data.start
        if (--left === 0) break
      }
      return sum
    },
  }
}

function acceptsTranscript(value: unknown): boolean {
  return (
    isRecord(value) &&
    value['type'] === 'Transcript' &&
    typeof value['start'] === 'number' &&
    Number.isFinite(value['start']) &&
    typeof value['duration'] === 'number' &&
    Number.isFinite(value['duration']) &&
    typeof value['final'] === 'boolean' &&
    typeof value['text'] === 'string' &&
    Array.isArray(value['words']) &&
    value['words'].every(acceptsTranscript1)
  )
}

function acceptsTranscript1(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value['word'] === 'string' &&
    typeof value['start'] === 'number' &&
    Number.isFinite(value['start']) &&
    typeof value['end'] === 'number' &&
    Number.isFinite(value['end']) &&
    typeof value['confidence'] === 'number' &&
    Number.isFinite(value['confidence'])
  )
}

function acceptsCount(value: unknown): boolean {
  return (
    isRecord(value) &&
    value['type'] === 'Count' &&
    typeof value['bytes'] === 'number' &&
    Number.isSafeInteger(value['bytes'])
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
