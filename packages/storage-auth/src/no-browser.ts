import type { BrowserHost } from './node/browser-host.ts'

/** Browsers and edge runtimes can't run a local server. */
export const browserHost: BrowserHost | undefined = undefined
