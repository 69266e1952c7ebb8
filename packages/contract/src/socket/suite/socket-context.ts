import type { SchemaOracle, SocketChannel, SocketSpec } from '@concord/spec-model'
import { type Finding, finding } from '../../http/exchange.ts'
import { type Credentials, freshSecrets } from '../../oracle/security.ts'
import type { Check, SuiteSizes } from '../../suite/context.ts'
import type { Greeting } from '../serve/listen.ts'
import { leastQuery } from './handshake-cases.ts'
import { ManualClock } from './manual-clock.ts'
import type { Peer, SocketFront } from './socket-front.ts'
import type { SocketInput, SocketOpening, SocketSession, SocketSubject } from './socket-subject.ts'

/** The data that all checks of a WebSocket suite share. */
export interface SocketContext {
  readonly spec: SocketSpec
  readonly oracle: SchemaOracle
  /** Like `oracle`, but ignores the string formats that clients don't have to check. */
  readonly looseOracle: SchemaOracle
  readonly subject: SocketSubject
  readonly front: SocketFront
  readonly seed: string
  readonly sizes: SuiteSizes
}

export type SocketCheck = Check<SocketContext>

/** Both ends of a connection of the client under test. */
export interface Opened {
  readonly session: SocketSession
  readonly peer: Peer
  /** All connections that the client has opened since {@link openCase} was called. The first is `peer`. */
  readonly peers: readonly Peer[]
  readonly clock: ManualClock
  readonly credentials: Credentials
}

interface OpenedHow {
  /** The security schemes for which the client gets a secret. Default: all. */
  readonly schemes?: readonly string[]
  /** Whether the client should replace a lost connection. */
  readonly reconnect?: boolean
  /** The response that denies the handshake. Default: the handshake is accepted. */
  readonly denial?: Greeting
}

interface OpenedCase {
  readonly opening?: SocketOpening
  readonly peers: readonly Peer[]
  readonly credentials: Credentials
  readonly findings: readonly Finding[]
}

let caseCount = 0

/** The client counts as hung if it doesn't finish within this many milliseconds of real time. */
const patienceMs = 5000

/** Opens a connection with fresh secrets and, by default, as few query values as possible. Then runs `run` on it. */
export async function openCase(
  { spec, oracle, subject, front }: SocketContext,
  channel: SocketChannel,
  how: OpenedHow & { readonly query?: SocketInput['query'] },
  run: (opened: Opened) => Promise<readonly Finding[]>,
): Promise<OpenedCase> {
  const { query = leastQuery(channel, oracle), schemes, reconnect = false, denial } = how
  caseCount += 1
  const credentials = freshSecrets(spec, schemes ?? Object.keys(spec.securitySchemes), `socket-${caseCount}`)
  const findings: Finding[] = []
  let opening: SocketOpening | undefined
  const servers = [...new Set(spec.channels.map((one) => one.server))]
  const recorded = await front.serveDuring(
    servers,
    async ({ addresses, peers }) => {
      const clock = new ManualClock()
      const target = {
        baseUrl: addresses[channel.server] ?? '',
        servers: addresses,
        credentials,
        clock,
        acknowledges: () => true,
        reconnect,
      }
      try {
        opening = await within(subject.open(channel.id, inputOf(channel, query), target))
        const [peer] = peers
        if (opening.kind !== 'open' || !peer) return
        const { session } = opening
        findings.push(...(await within(run({ session, peer, peers, clock, credentials }))))
        await within(session.close())
      } catch (error) {
        findings.push(finding('outcome', 'outcome', `the client or its adapter failed: ${String(error)}`))
      }
    },
    denial,
  )
  for (const stray of recorded.strays) {
    const message = `a handshake was sent outside the base URL: ${stray}`
    findings.push(finding('outside-base', 'handshake.path', message))
  }
  if (recorded.peers.length > 1 && !reconnect) {
    const message = `expected one connection, got ${recorded.peers.length}; turn off the client's reconnection`
    findings.push(finding('attempts', 'handshake', message))
  }
  return { ...(opening ? { opening } : {}), peers: recorded.peers, credentials, findings }
}

export function inputOf({ parameters }: SocketChannel, query: SocketInput['query']): SocketInput {
  const values = Object.entries(parameters).map(([name, [value = 'a value']]) => [name, value] as const)
  return values.length === 0 ? { query } : { query, parameters: Object.fromEntries(values) }
}

/** Like {@link openCase}, but returns only findings. If no connection was opened, there is at least one finding. */
export async function onConnection(
  context: SocketContext,
  channel: SocketChannel,
  run: (opened: Opened) => Promise<readonly Finding[]>,
  how: OpenedHow = {},
): Promise<readonly Finding[]> {
  const opened = await openCase(context, channel, how, run)
  return [...opened.findings, ...notOpened(opened)]
}

/** Returns a finding with the client's error message if no connection was opened and there is no other finding. */
export function notOpened({ opening, peers, findings }: OpenedCase): readonly Finding[] {
  if (peers.length > 0 || findings.length > 0) return []
  const said =
    opening?.kind === 'error'
      ? `${opening.errorNames[0]}: ${opening.message ?? ''}`
      : 'the client returned a session without a connection'
  return [finding('attempts', 'handshake', `no connection was opened (${said.slice(0, 300)})`)]
}

/** Rejects if `work` doesn't settle within `patienceMs`, so that a hung client causes a finding. */
export async function within<Value>(work: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const patience = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`the client didn't finish within ${patienceMs} ms`)),
      patienceMs,
    )
  })
  try {
    return await Promise.race([work, patience])
  } finally {
    clearTimeout(timer)
  }
}
