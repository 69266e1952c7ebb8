import type { SpeechChannel } from './model.ts'

/** What is known of a connection while it is open, for the state that the control interface shows. */
export interface OpenSpeech {
  id: number
  channel: SpeechChannel
  openedAt: number
  /** Milliseconds of audio that were heard. */
  heardMs: number
  /** Whether a binary KeepAlive stalled it; on live transcription. */
  stalled?: boolean
  /** Whether its Settings are acknowledged; on the agent. */
  settled?: boolean
  /** Characters that were spoken; on the speech stream. */
  characters?: number
}

/** The connections that are open, and how much of the allowance they take. */
export interface Connections {
  /** Takes a share of a key's allowance, and gives what frees it again; nothing where too much is taken. */
  take(key: string, weight: number): (() => void) | undefined
  /** How much of a key's allowance is taken. */
  taken(key: string): number
  /** How much may be taken. */
  allowance: number
  opened(connection: OpenSpeech): void
  closed(connection: OpenSpeech): void
  all(): OpenSpeech[]
}

/** Makes an empty set of connections. */
export function createConnections(allowance: number): Connections {
  const shares = new Map<string, number>()
  const open = new Set<OpenSpeech>()
  const connections: Connections = {
    allowance,
    taken: (key) => shares.get(key) ?? 0,
    take(key, weight) {
      if (connections.taken(key) + weight > connections.allowance) return undefined
      shares.set(key, connections.taken(key) + weight)
      let isTaken = true
      return () => {
        if (!isTaken) return
        isTaken = false
        const left = connections.taken(key) - weight
        if (left > 0) shares.set(key, left)
        else shares.delete(key)
      }
    },
    opened: (connection) => void open.add(connection),
    closed: (connection) => void open.delete(connection),
    all: () => [...open],
  }
  return connections
}
