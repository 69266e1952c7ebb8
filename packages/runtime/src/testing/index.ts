export { type MemoryHandler, memoryTransport } from './memory-transport.ts'
export {
  type Fault,
  type ScriptedTransport,
  scriptedTransport,
  type ScriptStep,
  type SeenRequest,
} from './scripted-transport.ts'
export {
  type ConformanceCase,
  type ConformanceSubject,
  tokenStoreConformance,
} from './token-store-conformance.ts'
export { virtualClock, type VirtualClock, type VirtualClockOptions } from './virtual-clock.ts'
export { type MemoryHandshake, type MemoryPeer, type MemorySockets, memorySockets } from './memory-socket.ts'
