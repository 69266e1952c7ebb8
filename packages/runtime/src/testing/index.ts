export { type MemoryHandler, memoryTransport } from './memory-transport.ts'
export { virtualClock, type VirtualClock, type VirtualClockOptions } from './virtual-clock.ts'
