import { startLoopbackSignIn } from '@concord/runtime/session/node'

import type { BrowserHost } from '../browser-host.ts'

/** Node: a server on the loopback interface, and whatever the system opens addresses with. */
export const browserHost: BrowserHost | undefined = {
  startSignIn: startLoopbackSignIn,
  async openBrowser(address) {
    // Loaded when it is needed: it looks for the system's browsers.
    const { default: open } = await import('open')
    const opener = await open(address)
    await new Promise<void>((resolve, reject) => {
      const end = (code: number | null): void =>
        code === 0 ? resolve() : reject(new Error('Could not open a browser.'))
      opener.on('error', reject)
      opener.on('exit', end)
      // On some systems it has ended by now.
      if (opener.exitCode !== null) end(opener.exitCode)
    })
  },
  show(address) {
    process.stderr.write(`To sign in, open this address in a browser on this machine:\n${address}\n`)
  },
}
