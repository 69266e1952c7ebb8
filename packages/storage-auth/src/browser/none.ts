import type { BrowserHost } from './browser-sign-in.ts'

/** Browsers and edge runtimes have no local server. */
export const browserHost: BrowserHost | undefined = undefined
