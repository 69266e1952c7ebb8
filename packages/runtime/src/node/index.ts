export { nodeTransport, type NodeTransportOptions } from './transport.ts'
