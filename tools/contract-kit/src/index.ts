export type { TextChange } from './changed-copy.ts'
export type { GeneratedCode } from './generated-code.ts'
export { clientSubject, type TestedClient, type TestedPackage } from './subject.ts'
export {
  dataOf,
  expectBody,
  expectError,
  expectMeaning,
  sendRaw,
  step,
  wrongBodyStep,
  type Served,
} from './walk.ts'
export { socketSubject, type TestedSockets } from './socket-subject.ts'
export { holdToContract } from './hold.ts'
export { inCheck, inSchema, plantMistakes, type SourceMistake } from './planted.ts'
