import type { SocketSpec } from '@concord/spec-model'
import type { Finding } from '../../http/exchange.ts'
import type { FrameDirection } from '../judge/judge-frame.ts'

/** An event on a connection of a mock, a proxy or `playSocketClient`. Contains no message content. @public */
export type SeenSocketEvent =
  | {
      readonly kind: 'opened' | 'denied'
      /** The number of the connection, from 1. */
      readonly connection: number
      /**
       * Milliseconds since the mock or proxy started. For `playSocketClient`: since it began to open this
       * channel.
       */
      readonly atMs: number
      /** The key of the channel; absent if the contract has no channel at the path. */
      readonly channel?: string
      /** The requested path without the query. */
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
      /** The direction of the frame, from the client's point of view. */
      readonly direction: FrameDirection
      readonly frame: 'text' | 'binary'
      readonly sizeBytes: number
      /** The key of the message; absent if the frame matches no message. */
      readonly message?: string
      readonly findings: readonly Finding[]
    }
  | {
      readonly kind: 'closed'
      readonly connection: number
      readonly atMs: number
      readonly channel: string
      /** Who closed the connection. */
      readonly by: 'client' | 'server'
      readonly code: number
      readonly findings: readonly Finding[]
    }

/** Options of a WebSocket mock or proxy. @public */
export interface SocketServeOptions {
  /** A file, the name of a service in `@concord/specs`, or a document that is already loaded. */
  readonly spec: string | SocketSpec
  /** Default 0: a free port. */
  readonly port?: number
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Called for every handshake, frame and close. */
  readonly onEvent?: (seen: SeenSocketEvent) => void
}
