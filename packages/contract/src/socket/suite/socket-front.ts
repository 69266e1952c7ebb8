import type { WebSocket } from 'ws'

import { Cases, type CaseUrls } from '../../http/cases.ts'
import type { ListeningServer } from '../../http/listen.ts'
import type { Handshake } from '../judge/channel-of.ts'
import type { Frame } from '../judge/judge-frame.ts'
import { closeSocket, listenForSockets, sendFrame, toFrame, type Greeting } from '../serve/listen.ts'
import { turns } from './manual-clock.ts'

/** One connection of the client under test, as the server sees it. */
export class Peer {
  readonly handshake: Handshake
  /** The server on which the connection was opened: its `host` and `pathname` in the document. */
  readonly server: string
  /** The frames of the client, in order. */
  readonly frames: Frame[] = []
  closed: { readonly code: number } | undefined
  readonly #socket: WebSocket

  constructor(handshake: Handshake, server: string, socket: WebSocket) {
    this.handshake = handshake
    this.server = server
    this.#socket = socket
    socket.on('message', (data, binary) => this.frames.push(toFrame(data, binary)))
    socket.on('close', (code) => (this.closed = { code }))
  }

  send(frame: Frame): void {
    sendFrame(this.#socket, frame)
  }

  close(code: number): void {
    closeSocket(this.#socket, code)
  }

  /**
   * Waits until everything that the client has sent so far has arrived. The pong to a ping shows this, because the
   * pong arrives after the client's earlier frames.
   */
  async settle(): Promise<void> {
    for (let round = 0; round < 2; round += 1) {
      await turns()
      if (this.#socket.readyState !== this.#socket.OPEN) continue
      await new Promise<void>((resolve) => {
        const done = (): void => {
          this.#socket.off('pong', done)
          this.#socket.off('close', done)
          resolve()
        }
        this.#socket.on('pong', done)
        this.#socket.on('close', done)
        this.#socket.ping()
      })
    }
    await turns()
  }
}

/** The connections of one case, and the response that denies them, if any. */
interface RecordedSockets {
  readonly peers: Peer[]
  readonly denial: Greeting | undefined
}

/** A loopback server in the role of the service. It records handshakes and frames as they were sent. */
export class SocketFront {
  readonly #listener: ListeningServer
  readonly #cases: Cases<RecordedSockets>

  private constructor(listener: ListeningServer) {
    this.#listener = listener
    this.#cases = new Cases(listener.url)
  }

  static async start(): Promise<SocketFront> {
    let front: SocketFront | undefined
    const listener = await listenForSockets((handshake) => {
      if (!front) throw new Error('not started')
      return front.#greet(handshake)
    })
    front = new SocketFront(listener)
    return front
  }

  /** Runs one case, and records the connections that the client opens. Throws if another case is running. */
  serveDuring(
    servers: readonly string[],
    run: (recorded: RecordedSockets & CaseUrls) => Promise<void>,
    denial?: Greeting,
  ): Promise<RecordedSockets & CaseUrls> {
    return this.#cases.run(servers, { peers: [], denial }, async (recorded) => {
      try {
        await run(recorded)
      } finally {
        for (const peer of recorded.peers) if (!peer.closed) peer.close(1000)
      }
    })
  }

  close(): Promise<void> {
    return this.#listener.close()
  }

  #greet(handshake: Handshake): Greeting {
    const found = this.#cases.find(handshake.target)
    if (!found) return { status: 404, body: 'The path is outside of all base URLs of this case.' }
    const { recorded, server, target } = found
    if (recorded.denial) return recorded.denial
    return {
      accept: (socket) => void recorded.peers.push(new Peer({ ...handshake, target }, server, socket)),
    }
  }
}
