import ts from 'typescript'

import { schemaName } from '../normalize/names.ts'
import { predicatesModule } from './schema-resolvers.ts'

/** A replacement of a range of a text. */
interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Brings hey-api's types into the form of a generated file: without its client options, in this project's style. */
export function finishTypes(raw: string): string {
  const file = parse(raw)
  const edits = file.statements
    .filter((statement) => ts.isTypeAliasDeclaration(statement) && statement.name.text === 'ClientOptions')
    .map((statement) => ({ start: statement.getFullStart(), end: statement.end, text: '' }))
  const body = inStyle(apply(raw, edits)).trim()
  return `${/\bBinaryInput\b/.test(body) ? `${binaryInputType}\n` : ''}${body}\n`
}

/**
 * Brings hey-api's schemas into the form of a generated file: imported from `zod`, and each one written so that
 * a bundler drops it, with all that it is made of, when nobody uses it.
 */
export function finishSchemas(raw: string, typeNames: Iterable<string>): string {
  const file = parse(raw)
  const typeOf = new Map([...typeNames].map((type) => [schemaName(type), type]))
  const edits: Edit[] = []
  for (const statement of file.statements) {
    if (ts.isImportDeclaration(statement)) edits.push(...importEdits(statement, file))
    if (!ts.isVariableStatement(statement)) continue
    for (const { initializer } of statement.declarationList.declarations) {
      if (initializer) edits.push(...pureEdits(initializer, file), ...lazyEdits(initializer, file, typeOf))
    }
  }
  const body = inStyle(apply(raw, edits)).trim()
  const types = new Set([...body.matchAll(/z\.core\.\$ZodType<(\w+)>/g)].map(([, name = '']) => name))
  if (body.includes('<BinaryInput>')) types.add('BinaryInput')
  const typeImport =
    types.size === 0 ? '' : `import type { ${[...types].sort().join(', ')} } from './types.gen.ts'\n`
  return `${typeImport}${body}\n`
}

/** The names that a generated file exports. */
export function exportedNames(text: string): string[] {
  return parse(text)
    .statements.flatMap((statement) => {
      if (ts.isTypeAliasDeclaration(statement)) return [statement.name.text]
      if (!ts.isVariableStatement(statement)) return []
      return statement.declarationList.declarations.map(({ name }) =>
        ts.isIdentifier(name) ? name.text : '',
      )
    })
    .sort()
}

/** The names that a generated file imports from the predicates module. */
export function usedPredicates(text: string): string[] {
  return parse(text).statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) || moduleOf(statement) !== predicatesModule) return []
    const bindings = statement.importClause?.namedBindings
    return bindings && ts.isNamedImports(bindings)
      ? bindings.elements.map(({ name, propertyName }) => (propertyName ?? name).text)
      : []
  })
}

function importEdits(statement: ts.ImportDeclaration, file: ts.SourceFile): Edit[] {
  if (moduleOf(statement) !== 'zod/mini') return []
  const specifier = statement.moduleSpecifier
  return [{ start: specifier.getStart(file), end: specifier.end, text: "'zod'" }]
}

function moduleOf(statement: ts.ImportDeclaration): string {
  return ts.isStringLiteral(statement.moduleSpecifier) ? statement.moduleSpecifier.text : ''
}

function pureEdits(initializer: ts.Expression, file: ts.SourceFile): Edit[] {
  const start = initializer.getStart(file)
  const calls = countCalls(initializer)
  if (calls === 0) return []
  if (calls === 1 && ts.isCallExpression(initializer)) return [{ start, end: start, text: '/*#__PURE__*/ ' }]
  return [
    { start, end: start, text: '/*#__PURE__*/ (() => ' },
    { start: initializer.end, end: initializer.end, text: ')()' },
  ]
}

function countCalls(node: ts.Node): number {
  let count = ts.isCallExpression(node) ? 1 : 0
  node.forEachChild((child) => void (count += countCalls(child)))
  return count
}

/** A schema that contains itself is reached through a function, whose type TypeScript cannot infer. */
function lazyEdits(node: ts.Node, file: ts.SourceFile, typeOf: ReadonlyMap<string, string>): Edit[] {
  if (ts.isArrowFunction(node) && node.type?.kind === ts.SyntaxKind.AnyKeyword) {
    const type = typeOf.get(/(\w+);?\s*\}?$/.exec(node.body.getText(file))?.[1] ?? '')
    if (type === undefined) throw new Error(`cannot tell the type of ${node.getText(file)}`)
    return [{ start: node.type.getStart(file), end: node.type.end, text: `z.core.$ZodType<${type}>` }]
  }
  const edits: Edit[] = []
  node.forEachChild((child) => void edits.push(...lazyEdits(child, file, typeOf)))
  return edits
}

function parse(text: string): ts.SourceFile {
  return ts.createSourceFile('generated.ts', text, ts.ScriptTarget.ESNext, true)
}

function apply(text: string, edits: readonly Edit[]): string {
  return [...edits]
    .sort((first, second) => second.start - first.start || second.end - first.end)
    .reduce(
      (result, { start, end, text: replacement }) => result.slice(0, start) + replacement + result.slice(end),
      text,
    )
}

/** Two spaces and no semicolons, as everywhere else in this project. */
function inStyle(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      const indented = line.replace(/^(?: {4})+/, (spaces) => ' '.repeat(spaces.length / 2))
      return /^\s*(?:\/\*\*|\*)/.test(line) ? indented : indented.replace(/;$/, '')
    })
    .join('\n')
}

const binaryInputType = `/**
 * Bytes to send: the path of a file, bytes, a Blob or a stream; or one of these together with its file name, media
 * type and length, where they are known. A path can be used only where there are files.
 */
export type BinaryInput =
  | string
  | BinaryContent
  | {
      readonly content: string | BinaryContent
      readonly filename?: string | undefined
      readonly contentType?: string | undefined
      readonly sizeBytes?: number | undefined
    }

/** Bytes, a Blob or a stream of bytes. */
export type BinaryContent = Blob | ArrayBuffer | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>
`
