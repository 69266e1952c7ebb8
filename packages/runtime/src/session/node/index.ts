/** Sessions in Node: a file-based store that processes can share, and a local server for browser sign-ins. */
export { fileTokenStore, type FileTokenStoreOptions } from './file-token-store.ts'
export {
  type CodeOutcome,
  type LoopbackOptions,
  type LoopbackPage,
  type LoopbackSignIn,
  startLoopbackSignIn,
} from './loopback-server.ts'
export { type BrowserSignInOptions, signInWithBrowser } from './browser-sign-in.ts'
