import {
  createEmulator,
  type Emulator,
  type EmulatorOptions,
  frozenClock,
  type SpeechOptions,
} from '../../src/index.ts'
import { inProcess, type TestSocket } from './sockets.ts'

/** One second of 16-bit samples at 16 kHz, the emulator's `encoding=linear16`. */
export const SECOND = 32_000

/** Returns the given milliseconds of samples in this format. */
export function pcm(durationMs: number): Uint8Array<ArrayBuffer> {
  const samples = new Int16Array((SECOND / 2) * (durationMs / 1000))
  for (let index = 0; index < samples.length; index++) samples[index] = 3_000 * Math.sin(index / 10)
  return new Uint8Array(samples.buffer)
}

/** The speech service with a frozen clock and shortcuts. */
interface TestSpeech extends AsyncDisposable {
  emulator: Emulator
  service: Emulator['speech']
  control: Emulator['speech']['control']
  /** Advances the clock, and delivers pending messages before and after. */
  advance(ms: number): Promise<void>
  /** Delivers pending messages. */
  settle(): Promise<void>
  /** Opens a socket with the API key, unless other headers are given. */
  open(path: string, headers?: Record<string, string>): Promise<TestSocket>
  /** Calls an operation with the API key. */
  call(path: string, init?: RequestInit & { json?: unknown }): Promise<Response>
}

export async function startSpeech(
  speech: SpeechOptions = {},
  options: EmulatorOptions = {},
): Promise<TestSpeech> {
  const emulator = await createEmulator({ clock: frozenClock(), seed: 'tests', ...options, speech })
  const service = emulator.speech
  const { control, apiKey } = service
  const openRaw = inProcess(service.socketFactory)
  const settle = async () => {
    for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
  }
  return {
    emulator,
    service,
    control,
    settle,
    async advance(ms) {
      await settle()
      await control.clock.advance(ms)
      await settle()
    },
    async open(path, headers = { authorization: `Token ${apiKey}` }) {
      const base = path.startsWith('/v1/agent') ? service.agentUrl : service.apiUrl
      const socket = openRaw(base.replace(/^http/, 'ws') + path, headers)
      await socket.settled
      await settle()
      return socket
    },
    call(path, { json, ...init } = {}) {
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
