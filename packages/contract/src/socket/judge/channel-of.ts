import type { SocketChannel, SocketSpec } from '@concord/spec-model'
import type { HeaderLine } from '../../http/exchange.ts'
import { decode, matchPath, rawPairs } from '../../oracle/parameters.ts'

/** The request that opens a WebSocket. */
export interface Handshake {
  /** The path (without the base path) and the query, exactly as sent. */
  readonly target: string
  readonly headers: readonly HeaderLine[]
}

export function channelOf(spec: Pick<SocketSpec, 'channels'>, target: string): SocketChannel | undefined {
  const path = target.split('?')[0] ?? ''
  return (
    spec.channels.find((one) => one.address === path || one.address === decode(path)) ??
    spec.channels.find((one) => matchPath(one.address, path) !== undefined)
  )
}

/** Maps the name of each query parameter to its undecoded values, in order. */
export function queryTexts(target: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const [name, value] of rawPairs(target)) found.set(name, [...(found.get(name) ?? []), value])
  return found
}
