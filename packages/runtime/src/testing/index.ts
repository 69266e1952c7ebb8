export {
  memoryTransport,
  scriptedTransport,
  type Fault,
  type MemoryHandler,
  type ScriptedTransport,
  type ScriptStep,
  type SeenRequest,
} from './transports.ts'
export {
  type ConformanceCase,
  type ConformanceSubject,
  tokenStoreConformance,
} from './token-store-conformance.ts'
export { virtualClock, type VirtualClock, type VirtualClockOptions } from './virtual-clock.ts'
export { type MemoryHandshake, type MemoryPeer, type MemorySockets, memorySockets } from './memory-socket.ts'
