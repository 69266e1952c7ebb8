import type { ChannelDescriptor, ConnectionState, ConnectOptions, Received } from '@concord/runtime'
import type {
  CloseOptions,
  ConnectionEnd,
  FinishOptions,
  RawSendOptions,
  SocketRequestOptions,
} from '@concord/runtime/internal'

/** Any message received on one of the service's channels. */
export type AnyReceived = Received<ChannelDescriptor<unknown, unknown, Record<string, unknown>>>

/** A runtime connection without the types of its channel, because the classes here have their own types. */
export interface OpenChannel {
  readonly state: ConnectionState
  readonly closed: Promise<ConnectionEnd>
  readonly bufferedBytes: number
  send(message: string, payload: unknown): Promise<void>
  sendBinary(bytes: Uint8Array): Promise<void>
  sendFrom(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void>
  sendText(text: string): Promise<void>
  sendJson(value: unknown, options?: RawSendOptions): Promise<void>
  request(
    message: string,
    payload: unknown,
    options?: SocketRequestOptions,
  ): Promise<{ readonly message: string; readonly data: unknown }>
  close(options?: CloseOptions): Promise<ConnectionEnd>
  finish(options?: FinishOptions): Promise<ConnectionEnd>
  [Symbol.asyncIterator](): AsyncIterator<AnyReceived, undefined>
}

/** Opens the channels of one client. */
export interface ChannelOpener {
  open(
    channel: ChannelDescriptor<unknown, unknown, unknown>,
    query: object | undefined,
    options: ConnectOptions<ChannelDescriptor>,
  ): Promise<OpenChannel>
}
