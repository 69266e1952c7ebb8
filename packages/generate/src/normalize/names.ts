import { JSON_WRITERS, WRITERS } from './writers.ts'

export const typeNamePattern = /^[A-Z][A-Za-z0-9]*$/
export const operationNamePattern = /^[a-z][A-Za-z0-9]*$/

/** `getJob` -> `GetJob`. */
export function pascalCase(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** `base_url` -> `baseUrl`. */
export function camelCase(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]+([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** The name of a type's schema: `Job` -> `job`, `JSONValue` -> `jsonValue`. */
export function schemaName(typeName: string): string {
  const name = typeName.replace(/^\p{Lu}+(?=\p{Lu}\p{Ll}|$)|^\p{Lu}/u, (start) => start.toLowerCase())
  // If the first letter has no lowercase form, the suffix distinguishes the schema's name from the type's name.
  return isReserved(name) || OWN_SCHEMAS.has(name) || name === typeName ? `${name}Schema` : name
}

/** Names that schemas can't have, because the generated files use other values with these names. */
const OWN_SCHEMAS: ReadonlySet<string> = new Set(['z', 'spec', 'securitySchemes'])

/** Turns any string into the name of an operation: `get-job`, `GetJob` and `get job` -> `getJob`. */
export function toOperationName(text: string): string {
  const name = toMemberName(text)
  return isReserved(name) || globalNames.has(name) ? `${name}Operation` : name
}

/** Turns any string into the name of a class member. Unlike an operation's name, it may be a reserved word. */
export function toMemberName(text: string): string {
  const words = text.split(/[^\p{L}\p{Nl}\p{Nd}]+/u).filter((word) => word !== '')
  const joined = words
    .map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('')
  const name = joined.replace(/^\p{Lu}+(?=\p{Lu}\p{Ll}|$)|^\p{Lu}/u, (start) => start.toLowerCase())
  // A name must start with a letter. A capital letter (some have no lowercase form) would make it look like a type.
  if (!/^\p{L}/u.test(name) || /^\p{Lu}/u.test(name)) return `operation${name}`
  return name
}

/** The name of the function that creates an implementation of an interface: `webShopApi` for `WebShopApi`. */
export function factoryName(apiName: string): string {
  return apiName.charAt(0).toLowerCase() + apiName.slice(1)
}

export function freeName(wanted: string, isTaken: (name: string) => boolean): string {
  let name = wanted
  for (let count = 2; isTaken(name); count++) name = `${wanted}${count}`
  return name
}

/** Names that operations can't have, because generated files use values with these names. */
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
  ...Object.values(WRITERS).flat(),
  ...Object.values(JSON_WRITERS),
  'writeFormQuery',
])

/** Whether a name can't be the name of a variable in a module. */
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

/** Names that types of a contract can't have, because generated files use other types with these names. */
export const globalTypeNames: ReadonlySet<string> = new Set(
  `Array ArrayBuffer AsyncIterable Awaited Blob BinaryContent BinaryInput ChannelDescriptor ClientOptions Omit Parameters Promise ReadableStream
  Record ReturnType Uint8Array`.split(/\s+/),
)
