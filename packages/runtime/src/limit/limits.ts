/** A part of a {@link ConcurrencyLimit} that is held; dispose of it to free it. @public */
export interface Lease extends Disposable {
  readonly weight: number
  /**
   * Aborted if the part is no longer held although it was not disposed of, because the place that counts could not be reached
   * for too long. Absent if that cannot happen.
   */
  readonly lost?: AbortSignal
}

/** Limits how much runs at the same time, in one process or in many. @public */
export interface ConcurrencyLimit {
  /**
   * Waits for its turn.
   *
   * @param weight Expensive work can weigh more than 1, the default.
   * @param signals Aborting one ends the wait with its reason.
   */
  acquire(weight?: number, signals?: readonly AbortSignal[]): Promise<Lease>
  /** Returns whether a request of this weight may have to wait now. */
  mayWait(weight: number): boolean
}

/** Returns whether a value has the methods of a {@link ConcurrencyLimit}. @public */
export function isConcurrencyLimit(value: unknown): value is ConcurrencyLimit {
  const { acquire, mayWait } = (value ?? {}) as Partial<Record<string, unknown>>
  return typeof acquire === 'function' && typeof mayWait === 'function'
}

/** Limits how many requests are sent in a time, by one process or by many. @public */
export interface RateLimit {
  /** Waits until a request may be sent, and counts it. Called before every attempt. */
  acquire(options: { readonly signal?: AbortSignal | undefined }): Promise<unknown>
}
