import { createEmulator, type EmulatorOptions, frozenClock, type SpeechOptions } from '../../src/index.ts'
import { inProcess } from './sockets.ts'

/** One second of 16-bit samples at 16 kHz, the emulator's `encoding=linear16`. */
export const SECOND = 32_000

/** Returns the given milliseconds of samples in this format. */
export function pcm(durationMs: number): Uint8Array<ArrayBuffer> {
  const samples = new Int16Array((SECOND / 2) * (durationMs / 1000))
  for (let index = 0; index < samples.length; index++) samples[index] = 3_000 * Math.sin(index / 10)
  return new Uint8Array(samples.buffer)
}

/** Starts the speech service with a frozen clock, and returns shortcuts. */
export async function startSpeech(speech: SpeechOptions = {}, options: EmulatorOptions = {}) {
  const emulator = await createEmulator({ clock: frozenClock(), seed: 'tests', ...options, speech })
  const service = emulator.speech
  const { control, apiKey } = service
  const openRaw = inProcess(service.socketFactory)
  /** Delivers pending messages. */
  const settle = async () => {
    for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
  }
  return {
    emulator,
    service,
    control,
    settle,
    /** Advances the clock, and delivers pending messages before and after. */
    async advance(ms: number) {
      await settle()
      await control.clock.advance(ms)
      await settle()
    },
    /** Opens a socket with the API key, unless other headers are given. */
    async open(path: string, headers: Record<string, string> = { authorization: `Token ${apiKey}` }) {
      const base = path.startsWith('/v1/agent') ? service.agentUrl : service.apiUrl
      const socket = openRaw(base.replace(/^http/, 'ws') + path, headers)
      await socket.settled
      await settle()
      return socket
    },
    /** Calls an operation with the API key. */
    call(path: string, { json, ...init }: RequestInit & { json?: unknown } = {}) {
      const base = path.startsWith('/v1/agent') ? service.agentUrl : service.apiUrl
      const headers = new Headers({ authorization: `Token ${apiKey}` })
      if (json !== undefined) headers.set('content-type', 'application/json')
      for (const [name, value] of new Headers(init.headers)) headers.set(name, value)
      const body = json === undefined ? {} : { body: JSON.stringify(json) }
      return service.fetch(base + path, { ...init, headers, ...body })
    },
    [Symbol.asyncDispose]: () => emulator.close(),
  }
}
