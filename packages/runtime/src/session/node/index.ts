/** Sessions in Node: a store in a file that processes share, and a local server for sign-ins with a browser. */
export { fileTokenStore, type FileTokenStoreOptions } from './file-token-store.ts'
export {
  type CodeOutcome,
  type LoopbackOptions,
  type LoopbackPage,
  type LoopbackSignIn,
  startLoopbackSignIn,
} from './loopback-server.ts'
export { type BrowserSignInOptions, signInWithBrowser } from './browser-sign-in.ts'
