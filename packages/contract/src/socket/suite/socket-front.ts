import type { WebSocket } from 'ws'

import type { Handshake } from '../judge/channel-of.ts'
import type { Frame } from '../judge/judge-frame.ts'
import {
  closeSocket,
  listenForSockets,
  sendFrame,
  toFrame,
  type Greeting,
  type SocketListener,
} from '../serve/listen.ts'
import { turns } from './manual-clock.ts'

/** One connection of the client under test, seen from the other side. */
export class Peer {
  readonly handshake: Handshake
  /** The host template of the server that it was opened on. */
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

  /** Waits until everything that the client has sent so far is here: a ping goes there and comes back behind it. */
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
export interface SocketTurn {
  /** The address of each server of the document, by its host template. */
  readonly addresses: { readonly [server: string]: string }
  readonly peers: Peer[]
  /** Handshakes outside of every base address. */
  readonly strays: string[]
}

/**
 * A loopback server that plays the other side of every case, and records handshakes and frames as they were on the wire.
 * Each turn has base addresses of its own, all with a path prefix, so that a client that drops the prefix is seen.
 */
export class SocketFront {
  readonly #listener: SocketListener
  #turn:
    | { readonly turn: SocketTurn; readonly prefixes: Map<string, string>; readonly denial?: Greeting }
    | undefined
  #count = 0

  private constructor(listener: SocketListener) {
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

  /** Runs one case; every handshake that comes in meanwhile belongs to it. Not to be called for two at once. */
  async turn(
    servers: readonly string[],
    run: (turn: SocketTurn) => Promise<void>,
    denial?: Greeting,
  ): Promise<SocketTurn> {
    if (this.#turn) throw new Error('a turn is under way')
    this.#count += 1
    const prefixes = new Map(servers.map((one, at) => [`/turn-${this.#count}/server-${at}/base%20path`, one]))
    const addresses = Object.fromEntries(
      [...prefixes].map(([prefix, one]) => [one, this.#listener.url + prefix]),
    )
    const turn: SocketTurn = { addresses, peers: [], strays: [] }
    this.#turn = { turn, prefixes, ...(denial ? { denial } : {}) }
    try {
      await run(turn)
    } finally {
      for (const peer of turn.peers) if (!peer.closed) peer.close(1000)
      this.#turn = undefined
    }
    return turn
  }

  close(): Promise<void> {
    return this.#listener.close()
  }

  #greet(handshake: Handshake): Greeting {
    const current = this.#turn
    const prefix =
      current && [...current.prefixes.keys()].find((one) => handshake.target.startsWith(`${one}/`))
    if (!current || !prefix) {
      current?.turn.strays.push(handshake.target.split('?')[0] ?? '')
      return { status: 404, body: 'No base address of this turn.' }
    }
    if (current.denial) return current.denial
    const inside = { ...handshake, target: handshake.target.slice(prefix.length) }
    return {
      accept: (socket) =>
        void current.turn.peers.push(new Peer(inside, current.prefixes.get(prefix) ?? '', socket)),
    }
  }
}
