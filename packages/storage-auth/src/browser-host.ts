import type { Clock } from '@concord/runtime'
import type { RandomSource } from '@concord/runtime/internal'

/** The outcome of a code, and the page to show to the user. */
export type CodeOutcome<T> =
  | { readonly kind: 'accepted'; readonly value: T; readonly page?: Page }
  | { readonly kind: 'rejected'; readonly page?: Page }

/** A page that tells the user what happened. */
export interface Page {
  readonly title: string
  readonly text: string
}

/** Options for waiting for the code of a sign-in. */
interface CallbackOptions<T> {
  readonly parameter: string
  readonly accept: (code: string, signal: AbortSignal) => Promise<CodeOutcome<T>>
  readonly limitMs: number
  readonly signal?: AbortSignal
  readonly clock: Clock
  readonly random: RandomSource
}

/** The parts of a browser sign-in that depend on the host. */
export interface BrowserHost {
  /** Opens a URL in the user's browser. Settles once the result is known, which can take a long time. */
  openBrowser(url: string): Promise<void>
  /** Shows a URL to the user. */
  show(url: string): void
  /** Starts to listen for the code. `result` settles once the sign-in ends. */
  startSignIn<T>(options: CallbackOptions<T>): Promise<{
    readonly port: number
    readonly result: Promise<T>
    close(): Promise<void>
  }>
}
