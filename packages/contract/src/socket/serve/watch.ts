import { schemaOracle, type SocketChannel, type SocketSpec } from '@concord/spec-model'

import { credentialsOf, hiderOf, withoutSecrets } from '../../recorded/credentials.ts'
import type { Handshake } from '../judge/channel-of.ts'
import { judgeFrame, type Frame, type FrameDirection, type FrameVerdict } from '../judge/judge-frame.ts'
import { judgeHandshake } from '../judge/judge-handshake.ts'
import { RulesJudge } from '../judge/judge-rules.ts'
import type { SeenSocketEvent } from './seen.ts'

type OnEvent = (seen: SeenSocketEvent) => void

interface Watched {
  readonly spec: SocketSpec
  readonly channel: SocketChannel
  readonly connection: number
  readonly tell: OnEvent
  readonly now: () => number
}

/** Checks and reports what happens on one connection. */
export interface ConnectionWatch {
  frame(direction: FrameDirection, frame: Frame): FrameVerdict
  closed(by: 'client' | 'server', code: number): void
}

export function watchConnection({ spec, channel, connection, tell, now }: Watched): ConnectionWatch {
  const oracle = schemaOracle(spec)
  const rules = new RulesJudge(channel, now())
  const about = { connection, channel: channel.id }
  return {
    frame(direction, frame) {
      const verdict = judgeFrame(oracle, channel, direction, frame)
      const atMs = now()
      const findings = [...verdict.findings, ...rules.frame(direction, frame, verdict, atMs)]
      tell({
        kind: 'frame',
        atMs,
        ...about,
        direction,
        frame: frame.binary ? 'binary' : 'text',
        sizeBytes: frame.data.length,
        ...(verdict.message ? { message: verdict.message.key } : {}),
        findings,
      })
      return { ...verdict, findings }
    },
    closed: (by, code) => tell({ kind: 'closed', atMs: now(), ...about, by, code, findings: [] }),
  }
}

/** Returns a function that checks a handshake and assigns a number to its connection. */
export function handshakeJudge(
  spec: SocketSpec,
  { onEvent, clock }: { readonly onEvent?: OnEvent | undefined; readonly clock: { monotonic(): number } },
) {
  const started = clock.monotonic()
  const now = (): number => clock.monotonic() - started
  let connection = 0
  return (handshake: Handshake) => {
    connection += 1
    const hideCredentials = hiderOf(credentialsOf(spec.securitySchemes, handshake))
    const tell: OnEvent = (seen) =>
      onEvent?.({
        ...seen,
        findings: withoutSecrets(seen.findings, hideCredentials),
        ...('path' in seen && { path: hideCredentials(seen.path) }),
      })
    const { channel, findings } = judgeHandshake(spec, handshake)
    const path = handshake.target.split('?')[0] ?? ''
    const about = { connection, path, findings, ...(channel && { channel: channel.id }) }
    return {
      channel,
      findings,
      denied: (status: number) => tell({ kind: 'denied', atMs: now(), ...about, status }),
      opened: () => tell({ kind: 'opened', atMs: now(), ...about }),
      watch: (on: SocketChannel) =>
        watchConnection({ spec, channel: on, connection: about.connection, tell, now }),
    }
  }
}
