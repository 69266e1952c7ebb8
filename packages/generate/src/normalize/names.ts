/** A name that can be a type, as the contracts write them: `Job`, `PageLimitDetail`. */
export const typeNamePattern = /^[A-Z][A-Za-z0-9]*$/
/** A name that can be an operation, as the contracts write them: `getJob`. */
export const operationNamePattern = /^[a-z][A-Za-z0-9]*$/

/** `getJob` -> `GetJob`. */
export function pascalCase(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** `base_url` -> `baseUrl`. */
export function camelCase(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]+([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/**
 * The name of the schema that belongs to a type: `Job` -> `job`, `JSONValue` -> `jsonValue`. A name that is a
 * reserved word, or that the generated file needs for itself, gets the suffix `Schema`.
 */
export function schemaName(typeName: string): string {
  const name = typeName.replace(/^\p{Lu}+(?=\p{Lu}\p{Ll}|$)|^\p{Lu}/u, (start) => start.toLowerCase())
  // A capital without a small letter stays as it is.
  return isReserved(name) || OWN_SCHEMAS.has(name) || name === typeName ? `${name}Schema` : name
}

/** Names of values that files with schemas import or export themselves. */
const OWN_SCHEMAS: ReadonlySet<string> = new Set(['z', 'spec', 'securitySchemes'])

/** A name of an operation out of any text: `get-job`, `GetJob` and `get job` -> `getJob`. */
export function toOperationName(text: string): string {
  const name = toMemberName(text)
  return isReserved(name) || globalNames.has(name) ? `${name}Operation` : name
}

/** A name for a member of a class, which can be a word of the language. */
export function toMemberName(text: string): string {
  const words = text.split(/[^\p{L}\p{Nl}\p{Nd}]+/u).filter((word) => word !== '')
  const joined = words
    .map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('')
  const name = joined.replace(/^\p{Lu}+(?=\p{Lu}\p{Ll}|$)|^\p{Lu}/u, (start) => start.toLowerCase())
  // A capital without a small letter would make it the name of a type.
  if (!/^\p{L}/u.test(name) || /^\p{Lu}/u.test(name)) return `operation${name}`
  return name
}

/** The name of the function that makes an object of an interface: `webShopApi` for `WebShopApi`. */
export function factoryName(apiName: string): string {
  return apiName.charAt(0).toLowerCase() + apiName.slice(1)
}

/** A name that is not taken: with a number after it if the wanted one is. */
export function freeName(wanted: string, isTaken: (name: string) => boolean): string {
  let name = wanted
  for (let count = 2; isTaken(name); count++) name = `${wanted}${count}`
  return name
}

/** Names of values that a generated file may not take for its own, because it uses them itself. */
const globalNames: ReadonlySet<string> = new Set([
  'checks',
  'undefined',
  'NaN',
  'Infinity',
  'send',
  'exchange',
  'negotiate',
  'negotiateExchange',
  'readHeaders',
  'input',
  'options',
  // index.gen.ts exports these beside the operations.
  'securitySchemes',
  'spec',
  // Functions of the runtime that write parameters and fields.
  'writeCommas',
  'writeCookies',
  'writeCookiesExploded',
  'writeDeepObject',
  'writeForm',
  'writeFormQuery',
  'writeHeader',
  'writeHeaderExploded',
  'writeJson',
  'writeJsonHeader',
  'writeJsonSegment',
  'writeLabel',
  'writeLabelExploded',
  'writeMatrix',
  'writeMatrixExploded',
  'writePipes',
  'writeSimple',
  'writeSimpleExploded',
  'writeSpaces',
])

/** Whether a name cannot be the name of a variable of a module. */
export function isReserved(name: string): boolean {
  return reserved.has(name)
}

const reserved = new Set(
  `arguments await break case catch class const continue debugger default delete do else enum eval export extends
  false finally for function if implements import in instanceof interface let new null package private protected
  public return static super switch this throw true try typeof undefined var void while with yield`.split(
    /\s+/,
  ),
)

/** Names of types that a generated file may not take for its own, because it uses them itself. */
export const globalTypeNames: ReadonlySet<string> = new Set(
  `Array ArrayBuffer AsyncIterable Awaited Blob BinaryContent BinaryInput ChannelDescriptor ClientOptions Omit Parameters Promise ReadableStream
  Record ReturnType Uint8Array`.split(/\s+/),
)
