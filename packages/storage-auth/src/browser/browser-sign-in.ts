import type { CodeOutcome, LoopbackOptions } from '@concord/runtime/node'

/** What the host does for a sign-in with a browser. */
export interface BrowserHost {
  /** Opens an address in the person's browser. Rejects when that is known to have failed. */
  openBrowser(address: string): Promise<void>
  /** Tells the person an address. */
  show(address: string): void
  /** Waits for the code. */
  startSignIn<T>(options: LoopbackOptions<T>): Promise<{
    readonly port: number
    readonly result: Promise<T>
    close(): Promise<void>
  }>
}

export type { CodeOutcome }
