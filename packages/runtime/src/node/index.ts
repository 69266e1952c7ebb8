export { fileTokenStore, type FileTokenStoreOptions } from './file-token-store.ts'
export { nodeTransport, type NodeTransportOptions } from './transport.ts'
