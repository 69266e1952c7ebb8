/**
 * Reads contracts for the emulator and the contract tests. Both bundle this package. The generator has its own
 * reader, so that contract tests and generated code can't share a mistake.
 */
export { CollectedBytes } from './collected-bytes.ts'
export { FILES, inlineFiles, readSocketSpec } from './asyncapi.ts'
export { isAddress, shownSource } from './fetch-document.ts'
export { ContractError, type ContractErrorCode, invalidOptions, reasonOf, unsupportedSpec } from './errors.ts'
export { contractAjv, contractFormats, formatsAsPatterns } from './formats.ts'
export {
  arrayOf,
  atPointer,
  differences,
  escapeToken,
  unescapeToken,
  isObject,
  type JsonObject,
  objectOf,
  resolveAt,
  sameJson,
} from './json.ts'
export {
  type LoadOptions,
  loadSocketSpec,
  loadSpec,
  readDocument,
  readSocketSpecFile,
  readSpecFile,
  serviceNames,
  specFile,
  specsFile,
} from './load.ts'
export type {
  ChannelRules,
  Example,
  Media,
  Operation,
  Parameter,
  RateMeaning,
  RequestBody,
  ResponseHeader,
  ResponseSpec,
  SchemaAt,
  SecurityScheme,
  SkippedChannel,
  SocketChannel,
  SocketMessage,
  SocketSpec,
  Spec,
  Webhook,
} from './model.ts'
export { readSpec } from './openapi.ts'
export {
  type Direction,
  type JudgedDocument,
  type SchemaIssue,
  type SchemaOracle,
  schemaOracle,
} from './schema-oracle.ts'
