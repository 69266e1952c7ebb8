import { load } from '../core/load.ts'
import type { RequestControl, TransportResponse } from './transport.ts'

/** What is asked for where the answer is JSON or text. Every host that the runtime knows can decode these. */
export const COMPRESSED = 'gzip, br'
/** What is asked for where the answer is a file or audio, which is compressed already, or is read in ranges. */
export const PLAIN = 'identity'

/** Whether the body of an answer still has a content coding (RFC 9110, section 8.4). */
export function isEncoded({ headers, decoded }: TransportResponse): boolean {
  return headers['content-encoding'] !== undefined && decoded !== true
}

/**
 * Makes an answer with a decoded body of one with an encoded body. Few answers need it, so it is loaded by those that do.
 *
 * @param maxResponseBytes - The limit for the decoded body of a buffered answer; `undefined` for a streamed one.
 * @throws UnexpectedContentError, ConnectionError
 */
export async function decodeAnswer(
  response: TransportResponse,
  control: RequestControl,
  maxResponseBytes: number | undefined,
): Promise<TransportResponse> {
  const { decodeBuffered, decodeStreamed } = await load(import('./content-coding.ts'))
  if (control.cancelled) throw control.reason
  return maxResponseBytes === undefined
    ? decodeStreamed(response, control)
    : decodeBuffered(response, control, maxResponseBytes)
}
