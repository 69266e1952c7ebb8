export { type MemoryHandler, memoryTransport } from './memory-transport.ts'
export {
  type Fault,
  type ScriptedTransport,
  scriptedTransport,
  type ScriptStep,
  type SeenRequest,
} from './scripted-transport.ts'
export { virtualClock, type VirtualClock, type VirtualClockOptions } from './virtual-clock.ts'
