import { type SchemaOracle, schemaOracle, type SocketChannel, type SocketSpec } from '@concord/spec-model'
import { judgeFrame, type Frame, type FrameDirection, type FrameVerdict } from '../judge/judge-frame.ts'
import { RulesJudge } from '../judge/judge-rules.ts'
import type { SeenSocketEvent } from './seen.ts'

interface Watched {
  readonly spec: SocketSpec
  readonly channel: SocketChannel
  readonly connection: number
  readonly tell: (seen: SeenSocketEvent) => void
  readonly now: () => number
}

/** Checks and reports every frame of one connection. */
export class ConnectionWatch {
  readonly #channel: SocketChannel
  readonly #oracle: SchemaOracle
  readonly #rules: RulesJudge
  readonly #connection: number
  readonly #tell: (seen: SeenSocketEvent) => void
  readonly #now: () => number

  constructor({ spec, channel, connection, tell, now }: Watched) {
    this.#channel = channel
    this.#oracle = schemaOracle(spec)
    this.#rules = new RulesJudge(channel, now())
    this.#connection = connection
    this.#tell = tell
    this.#now = now
  }

  frame(direction: FrameDirection, frame: Frame): FrameVerdict {
    const verdict = judgeFrame(this.#oracle, this.#channel, direction, frame)
    const atMs = this.#now()
    const findings = [...verdict.findings, ...this.#rules.frame(direction, frame, verdict, atMs)]
    this.#tell({
      kind: 'frame',
      connection: this.#connection,
      atMs,
      channel: this.#channel.id,
      direction,
      frame: frame.binary ? 'binary' : 'text',
      sizeBytes: frame.data.length,
      ...(verdict.message ? { message: verdict.message.key } : {}),
      findings,
    })
    return { ...verdict, findings }
  }

  closed(by: 'client' | 'server', code: number): void {
    const about = { connection: this.#connection, channel: this.#channel.id, atMs: this.#now() }
    this.#tell({ kind: 'closed', ...about, by, code, findings: [] })
  }
}
