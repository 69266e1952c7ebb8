import { startLoopbackSignIn } from '@concord/runtime/session/node'

import type { BrowserHost } from '../sign-in-with-browser.ts'

/** In Node: a server on the loopback interface, and the program that the system opens URLs with. */
export const browserHost: BrowserHost | undefined = {
  startSignIn: startLoopbackSignIn,
  async openBrowser(url) {
    // Loaded on demand, because it looks for the system's browsers.
    const { default: open } = await import('open')
    const opener = await open(url)
    await new Promise<void>((resolve, reject) => {
      const end = (code: number | null): void =>
        code === 0 ? resolve() : reject(new Error('Could not open a browser.'))
      opener.on('error', reject)
      opener.on('exit', end)
      // On some systems, the process has already ended.
      if (opener.exitCode !== null) end(opener.exitCode)
    })
  },
  show(url) {
    process.stderr.write(`To sign in, open this URL in a browser on this machine:\n${url}\n`)
  },
}
