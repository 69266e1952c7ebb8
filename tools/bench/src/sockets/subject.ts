/** Something that holds a socket to the server. Each module in `subjects/` has one as `connect`. */
export interface SocketSubject {
  connect(origin: string): Promise<SocketHold>
}

/** An open socket. */
export interface SocketHold {
  /**
   * Sends so many binary frames, each of these bytes, waiting whenever 1 MiB is buffered; then asks for the count. Gives
   * the number of bytes that the server says it got.
   */
  sendFrames(frame: Uint8Array, count: number): Promise<number>
  /** Asks for so many messages, and gives the sum of their `start`, once all are there. */
  receive(count: number): Promise<number>
}
