export { nodeSocketFactory, type NodeSocketOptions } from './ws-socket.ts'
export { nodeTransport, type NodeTransportOptions, type UndiciDispatcher } from './transport.ts'
export { openRecordFile, type RecordFile, type RecordFileOptions } from './record-file.ts'
