/** Something that an abort ends. */
export interface Abortable {
  abort(reason: unknown): void
}

interface Group {
  readonly members: Set<Abortable>
  readonly onAbort: () => void
}

/**
 * Watches abort signals for many at once, with one listener per signal: thousands of waits on one signal would
 * otherwise each pay for a listener, and for the search of it when they leave.
 */
export class AbortGroups {
  readonly #groups = new Map<AbortSignal, Group>()

  /** The signal must not be aborted yet. */
  join(signal: AbortSignal, member: Abortable): void {
    let group = this.#groups.get(signal)
    if (group === undefined) {
      const members = new Set<Abortable>()
      const onAbort = (): void => {
        for (const each of members) each.abort(signal.reason)
      }
      group = { members, onAbort }
      this.#groups.set(signal, group)
      signal.addEventListener('abort', onAbort)
    }
    group.members.add(member)
  }

  leave(signal: AbortSignal, member: Abortable): void {
    const group = this.#groups.get(signal)
    if (group === undefined || !group.members.delete(member) || group.members.size > 0) return
    this.#groups.delete(signal)
    signal.removeEventListener('abort', group.onAbort)
  }
}
