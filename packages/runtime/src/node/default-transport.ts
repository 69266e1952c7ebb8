export { nodeTransport as defaultTransport } from './transport.ts'
