export { compileConsumer } from './compile-consumer.ts'
export type { Compiled, ZodName } from './compile-consumer.ts'
