export { nodeSocketFactory, type NodeSocketOptions } from './ws-socket.ts'
export { nodeTransport, type NodeTransportOptions } from './transport.ts'
export { openRecordFile, type RecordFile, type RecordFileOptions } from './record-file.ts'
