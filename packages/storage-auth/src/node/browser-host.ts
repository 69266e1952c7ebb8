import { startLoopbackSignIn } from '@concord/runtime/session/node'

export type { CodeOutcome, LoopbackPage } from '@concord/runtime/session/node'

/** The parts of a browser sign-in that depend on the JavaScript environment. */
export interface BrowserHost {
  /** Opens a URL in the user's browser. The promise can take a long time to settle. */
  openBrowser(url: string): Promise<void>
  show(url: string): void
  readonly startSignIn: typeof startLoopbackSignIn
}

export const browserHost: BrowserHost | undefined = {
  startSignIn: startLoopbackSignIn,
  async openBrowser(url) {
    // Loaded on demand, because loading the package looks for the system's browsers.
    const { default: open } = await import('open')
    const opener = await open(url)
    await new Promise<void>((resolve, reject) => {
      const end = (code: number | null): void =>
        code === 0 ? resolve() : reject(new Error('Could not open a browser.'))
      opener.on('error', reject)
      opener.on('exit', end)
      // On some systems, the opener's process has ended before the listeners are added.
      if (opener.exitCode !== null) end(opener.exitCode)
    })
  },
  show(url) {
    process.stderr.write(`To sign in, open this URL in a browser on this machine:\n${url}\n`)
  },
}
