import { virtualClock, type VirtualClock } from '../../testing/virtual-clock.ts'
import { Link } from '../link.ts'
import type { RawSocket } from '../socket.ts'

/** A socket that notes what it is asked to do, and keeps everything in its buffer until a test empties it. */
export class RecordingSocket implements RawSocket {
  open = true
  bufferedBytes = 0
  readonly calls: unknown[] = []

  send(data: string | Uint8Array, notify: boolean): void {
    this.bufferedBytes += data.length
    this.calls.push(notify ? [data, 'notify'] : data)
  }

  pause(): void {
    this.calls.push('pause')
  }

  resume(): void {
    this.calls.push('resume')
  }

  close(code: number, reason: string): void {
    this.calls.push(['close', code, reason])
  }

  terminate(): void {
    this.calls.push('terminate')
  }
}

/** A recording socket that can ping. */
export class PingingSocket extends RecordingSocket {
  ping(mark: number): void {
    this.calls.push(['ping', mark])
  }
}

/** Creates a link over a recording socket. Only the test moves the link's clock. */
export function linkTo<Socket extends RawSocket>(
  socket: Socket,
): { readonly link: Link; readonly socket: Socket; readonly clock: VirtualClock } {
  const clock = virtualClock({ autoAdvance: false })
  const link = new Link(
    clock,
    (text) => text.replaceAll('secret', '[redacted]'),
    () => socket,
  )
  return { link, socket, clock }
}
