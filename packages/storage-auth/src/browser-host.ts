import type { Clock, RandomSource } from '@concord/runtime'

/** What the service made of a code, and the page that the person reads. */
export type CodeOutcome<T> =
  | { readonly kind: 'accepted'; readonly value: T; readonly page?: Page }
  | { readonly kind: 'refused'; readonly page?: Page }

/** A page that tells a person what happened. */
export interface Page {
  readonly title: string
  readonly text: string
}

/** How the code of a sign-in is waited for. */
export interface CallbackOptions<T> {
  readonly parameter: string
  readonly accept: (code: string, signal: AbortSignal) => Promise<CodeOutcome<T>>
  readonly limitMs: number
  readonly signal?: AbortSignal
  readonly clock: Clock
  readonly random: RandomSource
}

/** What the host does for a sign-in with a browser. */
export interface BrowserHost {
  /** Opens an address in the person's browser. Settles when it is known whether that worked, which can take long. */
  openBrowser(address: string): Promise<void>
  /** Tells the person an address. */
  show(address: string): void
  /** Waits for the code. */
  startSignIn<T>(options: CallbackOptions<T>): Promise<{
    readonly port: number
    readonly result: Promise<T>
    close(): Promise<void>
  }>
}
