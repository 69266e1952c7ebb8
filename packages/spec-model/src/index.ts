/**
 * The one reader of contracts: documents, references, operations, channels, and a judge of their schemas. The emulator and
 * the contract tests share it, and bundle it when they are built. The generator reads contracts on its own, so that a
 * mistake of one doesn't agree with itself.
 */
export { CollectedBytes } from './collected-bytes.ts'
export { inlineFiles, readSocketSpec } from './asyncapi.ts'
export { shownSource } from './fetch-document.ts'
export { ContractError, type ContractErrorCode } from './errors.ts'
export { contractAjv, contractFormats, formatsAsPatterns } from './formats.ts'
export {
  arrayOf,
  atPointer,
  differences,
  escapeToken,
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
  SocketChannel,
  SocketMessage,
  SocketSpec,
  Spec,
  Webhook,
} from './model.ts'
export { readSpec } from './openapi.ts'
export { type JudgedDocument, type SchemaIssue, type SchemaOracle, schemaOracle } from './schema-oracle.ts'
