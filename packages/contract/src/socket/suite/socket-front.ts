import type { WebSocket } from 'ws'

import { CaseUrls, type ListeningServer } from '../../http/listen.ts'
import type { Handshake } from '../judge/channel-of.ts'
import type { Frame } from '../judge/judge-frame.ts'
import { closeSocket, listenForSockets, sendFrame, toFrame, type Greeting } from '../serve/listen.ts'
import { turns } from './manual-clock.ts'

/** One connection of the client under test, as the server sees it. */
export class Peer {
  readonly handshake: Handshake
  /** The host template of the server on which the connection was opened. */
  readonly server: string
  /** The frames of the client, in order. */
  readonly frames: Frame[] = []
  /** Set once the connection has ended. */
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

  /** Waits until everything that the client has sent so far has arrived. The pong to a ping arrives after it. */
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

/** The connections of one case. */
interface RecordedSockets {
  /** The base URL of each server of the document, by its host template. */
  readonly addresses: { readonly [server: string]: string }
  readonly peers: Peer[]
  /** Handshakes outside of every base URL. */
  readonly strays: string[]
}

/**
 * A loopback server that plays the service, and records handshakes and frames as they were sent. Each case has its own
 * base URLs, all with a path prefix, to detect clients that drop the prefix.
 */
export class SocketFront {
  readonly #listener: ListeningServer
  #current:
    | {
        readonly recorded: RecordedSockets
        readonly urls: CaseUrls
        readonly denial: Greeting | undefined
      }
    | undefined
  #count = 0

  private constructor(listener: ListeningServer) {
    this.#listener = listener
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

  /** Runs one case, and records the handshakes that arrive in the meantime. Throws if another case is running. */
  async serveDuring(
    servers: readonly string[],
    run: (recorded: RecordedSockets) => Promise<void>,
    denial?: Greeting,
  ): Promise<RecordedSockets> {
    if (this.#current) throw new Error('another case is running')
    this.#count += 1
    const urls = new CaseUrls(this.#listener.url, this.#count, servers)
    const recorded: RecordedSockets = { addresses: urls.addresses, peers: [], strays: [] }
    this.#current = { recorded, urls, denial }
    try {
      await run(recorded)
    } finally {
      for (const peer of recorded.peers) if (!peer.closed) peer.close(1000)
      this.#current = undefined
    }
    return recorded
  }

  close(): Promise<void> {
    return this.#listener.close()
  }

  #greet(handshake: Handshake): Greeting {
    const current = this.#current
    const found = current?.urls.find(handshake.target)
    if (!current || !found) {
      current?.recorded.strays.push(handshake.target.split('?')[0] ?? '')
      return { status: 404, body: 'The path is outside of all base URLs of this case.' }
    }
    if (current.denial) return current.denial
    const { server, target } = found
    return {
      accept: (socket) =>
        void current.recorded.peers.push(new Peer({ ...handshake, target }, server, socket)),
    }
  }
}
