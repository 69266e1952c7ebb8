import type { SocketSpec } from '@concord/spec-model'
import type { Finding } from '../../http/exchange.ts'
import type { FrameDirection } from '../judge/judge-frame.ts'

/** Something that a mock, a proxy or a player of sockets saw, without anything that was said in it. @public */
export type SeenSocketEvent =
  | {
      readonly kind: 'opened' | 'denied'
      /** Counts the connections of a server, from 1. */
      readonly connection: number
      /** Milliseconds since the server began. */
      readonly atMs: number
      /** The key of the channel; absent if the contract has none at the path. */
      readonly channel?: string
      /** The path as it came, without the query. */
      readonly path: string
      /** The status of a denial. */
      readonly status?: number
      readonly findings: readonly Finding[]
    }
  | {
      readonly kind: 'frame'
      readonly connection: number
      readonly atMs: number
      readonly channel: string
      /** Seen from the client. */
      readonly direction: FrameDirection
      readonly frame: 'text' | 'binary'
      readonly sizeBytes: number
      /** The key of the message; absent if none fits. */
      readonly message?: string
      readonly findings: readonly Finding[]
    }
  | {
      readonly kind: 'closed'
      readonly connection: number
      readonly atMs: number
      readonly channel: string
      /** Who ended it. */
      readonly by: 'client' | 'server'
      readonly code: number
      readonly findings: readonly Finding[]
    }

/** Where a mock or proxy of sockets listens, and who gets its events. @public */
export interface SocketServeOptions {
  /** A file, the name of a service of `@concord/specs`, or a document that was read before. */
  readonly spec: string | SocketSpec
  /** Default 0: a free port. */
  readonly port?: number
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Called for every handshake, frame and close. */
  readonly onEvent?: (seen: SeenSocketEvent) => void
}
