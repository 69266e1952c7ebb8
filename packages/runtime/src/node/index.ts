export { nodeSocketFactory, type NodeSocketOptions } from './ws-socket.ts'
export { fileTokenStore, type FileTokenStoreOptions } from './file-token-store.ts'
export { nodeTransport, type NodeTransportOptions } from './transport.ts'
export type { LoopbackPage } from './loopback-page.ts'
export {
  type CodeOutcome,
  type LoopbackOptions,
  type LoopbackSignIn,
  startLoopbackSignIn,
} from './loopback-server.ts'
export { openRecordFile, type RecordFile, type RecordFileOptions } from './record-file.ts'
