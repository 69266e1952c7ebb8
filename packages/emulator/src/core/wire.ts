/** The emulator's end of an open WebSocket, whatever carries it. */
export interface Wire {
  /** Begins to close; what was sent before goes out first. */
  close(code: number, reason: string): void
  send(frame: string | Uint8Array): void
  /** Closes with code 1011 because of a mistake of the emulator's. A client in the same process is given the error. */
  fail(error: Error): void
  /** Ends at once, without a closing handshake. */
  terminate(): void
  /** Reads no more. */
  pause(): void
}

/** What happens at a wire. */
export interface WireEvents {
  /** A text frame as a string, a binary frame as bytes. */
  frame(data: string | Uint8Array): void
  /** It is over; called once. */
  closed(code: number, reason: string): void
}

/** The answer to an upgrade. */
export type UpgradeAnswer =
  | { refusal: Response }
  | {
      refusal?: undefined
      /** Takes the open wire. */
      accept(wire: Wire): WireEvents
      /** The client went away before there was a wire. */
      abandon(): void
    }
