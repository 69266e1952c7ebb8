import { reasonsOf } from '../../core/denials.ts'
import type { Mismatch } from '../../core/errors.ts'
import { isObject, type Json, type JsonLike } from '../../core/json.ts'
import type { ConnectionHandler } from '../../core/socket-service.ts'
import { listen, type HeardAudio } from '../audio/heard-audio.ts'
import { codeOf, problemText, type SpeechFacts } from '../denials.ts'
import type { OpenSpeech } from '../limits.ts'
import type { HeardWord, SocketProblem, SocketResponse, SpeechChannel, SpeechEvent } from '../model.ts'
import { takeWords, wordsBetween, type TranscriptScript } from '../scripts.ts'
import type { SpeechConnection, SpeechContext } from '../state.ts'
import { jsonOfFrame, mismatchOf } from './messages.ts'

/** The close code for audio that doesn't match the query's `encoding`. The service's close code is undocumented. */
const MISMATCH_CLOSE_CODE = 4000

/** Maps a message's `type` to the message's key in the contract. All other messages have the key `serverEvent`. */
const NAMED: Readonly<Record<string, string>> = {
  ConfigureSuccess: 'configureSuccess',
  ConfigureFailure: 'configureFailure',
}

const DETAILS: Readonly<Record<SpeechChannel, Partial<OpenSpeech>>> = {
  liveTranscription: { stalled: false },
  conversation: {},
  speechStream: { characters: 0 },
  agent: { settled: false },
}

/** Sends a channel's greeting and events, and responds to messages that cause a problem. */
export abstract class ChannelHandler implements ConnectionHandler {
  protected readonly context: SpeechContext
  protected readonly connection: SpeechConnection
  /** The connection's entry in the state that the control interface returns. */
  protected readonly entry: OpenSpeech

  constructor(connection: SpeechConnection, context: SpeechContext) {
    const { id, openedAt, handshake } = connection
    const channel = handshake.channel.id as SpeechChannel
    this.context = context
    this.connection = connection
    this.entry = { id, channel, openedAt, heardMs: 0, ...DETAILS[channel] }
    context.connections.opened(this.entry)
    for (const message of context.choices.greeting({ channel, query: handshake.query })) this.send(message)
  }

  abstract message(key: string, payload: unknown): void

  rejected(mismatches: readonly Mismatch[], frame: string | Uint8Array): void {
    this.respond('message-rejected', frame, { reasons: reasonsOf(mismatches) })
  }

  closed(): void {
    this.context.connections.closed(this.entry)
  }

  protected send(message: JsonLike | undefined): void {
    if (message === undefined) return
    const type = isObject(message) ? String(message['type']) : ''
    const named = Object.hasOwn(NAMED, type) ? NAMED[type] : undefined
    const isKnown = this.connection.handshake.channel.toClient.some(({ key }) => key === named)
    this.connection.send(named !== undefined && isKnown ? named : 'serverEvent', message)
  }

  protected show(event: SpeechEvent): void {
    this.send(this.context.choices.showEvent(event))
  }

  protected respond(
    problem: SocketProblem,
    frame: string | Uint8Array | Json,
    facts: SpeechFacts = {},
  ): void {
    const { channel } = this.entry
    const code = codeOf(problem)
    const text = problemText(problem, facts)
    const message = typeof frame === 'string' ? jsonOfFrame(frame) : frame
    const { send = [], close } =
      this.context.choices.respondToMessage({ channel, problem, message, code, text }) ??
      this.#defaultResponse(problem, code, text)
    for (const json of send) this.send(json)
    if (close) this.connection.close(close.code, close.reason)
  }

  #defaultResponse(problem: SocketProblem, code: string, text: string): SocketResponse {
    if (problem === 'message-unused') return {}
    if (problem === 'configure-rejected') {
      const failure = this.context.choices.showEvent({ kind: 'configuration-rejected', reason: text })
      return failure === undefined ? {} : { send: [failure] }
    }
    const send = [{ type: 'Problem', code, message: text }]
    return problem === 'audio-mismatch'
      ? { send, close: { code: MISMATCH_CLOSE_CODE, reason: `${code}: ${text}` } }
      : { send }
  }
}

/** Handles a channel on which clients send audio. */
export abstract class AudioHandler extends ChannelHandler {
  protected readonly query: URLSearchParams
  protected readonly audio: HeardAudio
  readonly #scripted: readonly string[] | undefined
  #isGarbled = false

  constructor(connection: SpeechConnection, context: SpeechContext) {
    super(connection, context)
    this.query = connection.handshake.query
    this.audio = listen(this.query, context.choices)
    const on = this.entry.channel as NonNullable<TranscriptScript['on']>
    this.#scripted = takeWords(context.transcripts, on)
  }

  /** Receives audio. If the audio causes the error DATA-0000, sends the error and returns `false`. */
  protected receive(piece: Uint8Array): boolean {
    this.audio.hear(piece)
    this.entry.heardMs = this.audio.heardMs
    const mismatch = mismatchOf(this.audio.container, this.query, this.entry.channel, this.context.choices)
    if (mismatch === 'DATA-0000') {
      this.respond('audio-mismatch', piece)
      return false
    }
    this.#isGarbled = mismatch === 'garbled'
    return true
  }

  protected wordsBetween(startMs: number, endMs: number): HeardWord[] {
    const { hearing } = this.context.choices
    const voice = { ...hearing, scripted: this.#scripted, isGarbled: this.#isGarbled }
    return wordsBetween(voice, startMs, endMs)
  }
}
