import type { BrowserHost } from './sign-in-with-browser.ts'

/** Browsers and edge runtimes can't run a local server. */
export const browserHost: BrowserHost | undefined = undefined
