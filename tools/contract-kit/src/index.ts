export { changedCopy, type ChangedCopy, type TextChange } from './changed-copy.ts'
export type { GeneratedCode } from './generated-code.ts'
export { operationMistakes, type OperationMistake } from './operation-mistakes.ts'
export { issuesOf, lineage, outcomeOf } from './outcome.ts'
export { clientSubject, type SharedOptions, type TestedClient, type TestedPackage } from './subject.ts'
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
export { testApi } from './api-tests.ts'
export { holdToContract, type Holding } from './hold.ts'
export {
  inCheck,
  inSchema,
  plantMistakes,
  type Planter,
  type Planting,
  type SourceMistake,
} from './planted.ts'
