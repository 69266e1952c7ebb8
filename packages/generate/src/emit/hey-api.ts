import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createClient } from '@hey-api/openapi-ts'
import ts from 'typescript'

import type { ServiceModel } from '../normalize/model.ts'
import { freeName, schemaName } from '../normalize/names.ts'
import {
  type Check,
  type Discriminator,
  type PlainSchema,
  type Rules,
  refName,
  rulesKey,
  rulesOf,
} from '../normalize/rules.ts'
import { declarationOrder } from './declaration-order.ts'
import { StandIns } from './stand-ins.ts'
import { QuickChecks } from './quick-checks.ts'
import { schemaResolvers, testsOf } from './schema-resolvers.ts'
import { typeResolvers } from './type-resolvers.ts'

/**
 * This file contains everything that depends on the internals of @hey-api/openapi-ts. It changes hey-api's input or
 * output because of the following behavior of hey-api, which resolvers can't change:
 *
 * - It merges branches of a union that differ only in extensions. {@link Rules} are in an extension, so {@link kept}
 *   also puts them into `format`.
 * - It always writes a type `ClientOptions`. This file removes the type.
 * - It reads a schema again for each reference to the schema. The run time grows with the square of the document's
 *   size, and the stack can overflow. So the input has no references: the resolvers write names, and this file
 *   decides the order of declarations.
 * - It uses the type `any` for a schema that contains itself. The actual type is written instead.
 * - It decodes escapes in its own output, and renames types. So its input has stand-ins for names and strings
 *   ({@link StandIns}).
 * - It imports `zod/mini`. This file changes the import to `zod`. The build of a client changes it back to
 *   `zod/mini`, so the generated text must work with both.
 * - It doesn't mark calls as free of side effects, so bundlers would keep unused schemas. This file adds the marks.
 * - It indents with four spaces and writes semicolons. Generated files have the style of this project.
 */

interface SchemaFiles {
  readonly types: string
  readonly schemas: string
  /** The code of the functions that the schemas use, without the predicates in src/checks. */
  readonly functions: readonly string[]
}

/** Generates the types and zod schemas of all named schemas. */
export async function typesAndSchemas(model: ServiceModel): Promise<SchemaFiles> {
  // Without schemas, hey-api writes no files.
  if (model.schemas.size === 0) return { types: '', schemas: '', functions: [] }
  const quick = new QuickChecks(model.schemas)
  const standIns = new StandIns(model.schemas.keys())
  const declared = new Set<string>()
  const schemas: Record<string, unknown> = {}
  for (const name of declarationOrder(model.schemas)) {
    const context: Context = { quick, type: name, standIns, declared }
    schemas[standIns.ofType(name)] = kept(model.schemas.get(name)!, context)
    declared.add(name)
  }
  const raw = await runHeyApi(model, schemas, standIns)
  return {
    types: finishTypes(raw.types, model),
    schemas: finishSchemas(raw.schemas, model),
    functions: quick.print(),
  }
}

async function runHeyApi(
  model: ServiceModel,
  schemas: Record<string, unknown>,
  standIns: StandIns,
): Promise<{ readonly types: string; readonly schemas: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'concord-generate-'))
  try {
    await callHeyApi(schemas, folder)
    return {
      types: standIns.restore(readFileSync(join(folder, 'types.gen.ts'), 'utf8')),
      schemas: standIns.restore(
        withoutClashes(readFileSync(join(folder, 'zod.gen.ts'), 'utf8'), model.schemas.keys()),
      ),
    }
  } catch (error) {
    const inner = (error as { originalError?: { error?: unknown } }).originalError?.error ?? error
    // All runs share hey-api's TypeScript printer. After a stack overflow, the printer still holds part of the failed
    // output, and would write that part at the beginning of the next output. An extra run discards that part.
    if (inner instanceof RangeError) await callHeyApi({ Text: { type: 'string' } }, folder)
    throw new Error(
      `hey-api could not generate types and zod schemas from the contract's schemas: ${String(inner)}`,
      { cause: error },
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function callHeyApi(schemas: Record<string, unknown>, folder: string): Promise<void> {
  const contexts = await createClient({
    input: {
      openapi: '3.1.0',
      info: { title: 'Schemas', version: '1' },
      paths: {},
      components: { schemas },
    },
    output: { path: folder, entryFile: false, header: [], module: { extension: '.ts' } },
    logs: { level: 'silent', file: false },
    parser: { transforms: { readWrite: { enabled: false } } },
    plugins: [
      { name: '@hey-api/typescript', definitions: { case: 'preserve' }, $resolvers: typeResolvers },
      {
        name: 'zod',
        compatibilityVersion: 'mini',
        definitions: { case: 'preserve', name: (standIn: string) => StandIns.schemaOf(standIn) },
        $resolvers: schemaResolvers,
      },
    ],
  })
  if (contexts.length === 0) throw new Error('hey-api rejected its input')
}

interface Context {
  readonly quick: QuickChecks
  /** The type whose schema is copied. New functions are named after it. */
  readonly type: string
  readonly standIns: StandIns
  /** The types that are declared before `type`. */
  readonly declared: ReadonlySet<string>
}

/** Copies a schema, replaces its names and strings with stand-ins, and also puts its rules into `format`. */
function kept(schema: PlainSchema, context: Context): object {
  const { quick, standIns, declared } = context
  const inside = (inner: PlainSchema) => kept(inner, context)
  const { $ref, items, tuple, properties, required, additionalProperties, anyOf, allOf, ...plain } = schema
  const { [rulesKey]: _, description, const: only, enum: listed, ...others } = plain
  const copy = {
    ...others,
    ...(description !== undefined && { description: standIns.ofComment(description) }),
    ...(only !== undefined && { const: standIns.ofValue(only) }),
    ...(listed && { enum: listed.map((value) => standIns.ofValue(value)) }),
    ...(tuple ? { prefixItems: tuple.map(inside) } : items && { items: inside(inPairs(items)) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [standIns.ofProperty(name), inside(property)]),
      ),
    }),
    ...(required && { required: required.map((name) => standIns.ofProperty(name)) }),
    ...(additionalProperties && { additionalProperties: inside(additionalProperties) }),
    ...(anyOf && { anyOf: anyOf.map(inside) }),
    ...(allOf && { allOf: inFew(allOf.map(withOwnNull)).map(inside) }),
  }
  if ($ref !== undefined) {
    const name = refName($ref)
    const reference = { type: standIns.ofType(name), isLazy: !declared.has(name) }
    return { ...copy, type: 'string', [rulesKey]: { reference }, format: reference.type }
  }
  if (!(rulesKey in schema)) return copy
  const { assertions = [], present, openEnum, exclusive, checks, discriminator, ...rest } = rulesOf(schema)
  const rules: Rules = {
    ...rest,
    ...(checks && { checks: checks.map((check) => withStandIn(check, standIns)) }),
    ...(openEnum && { openEnum: openEnum.map((value) => standIns.ofValue(value)) }),
    ...(discriminator && {
      discriminator: {
        ...discriminator,
        property: standIns.ofProperty(discriminator.property),
        values: discriminator.values.map((values) => values.map((value) => String(standIns.ofValue(value)))),
      },
    }),
    ...(present && { present: present.map((name) => standIns.ofProperty(name)) }),
    ...(exclusive && {
      exclusive: exclusive.map((group) => group.map((name) => standIns.ofProperty(name))),
      exclusions: exclusive.map((group) => standIns.ofValue(exclusionOf(group))),
    }),
  }
  const tests = testsOf(assertions, quick, context.type)
  const own: Rules = tests.length === 0 ? rules : { ...rules, tests }
  // Without a type, hey-api would use this schema instead of a whole union, and leave it out of an intersection.
  const type = rules.noneOf !== undefined || rules.never === true ? { type: 'string' } : {}
  return { ...copy, ...type, [rulesKey]: own, format: JSON.stringify(own) }
}

/**
 * Rewrites the schema of an array's items:
 *
 * - hey-api would pass all schemas of an `allOf` to one `z.intersection`, which takes only two. So they are nested in
 *   pairs.
 * - hey-api would replace the array's rules with the rules of a union. So a union with rules is put into an `allOf`.
 */
function inPairs(schema: PlainSchema): PlainSchema {
  const { anyOf, allOf = [] } = schema
  if (anyOf !== undefined && rulesKey in schema) return { allOf: [schema] }
  if (allOf.length > MOST_TOGETHER) return { ...schema, allOf: [{ allOf: inFew(allOf) }] }
  const last = allOf.at(-1)
  if (last === undefined || allOf.length <= 2) return schema
  return { ...schema, allOf: [inPairs({ allOf: allOf.slice(0, -1) }), last] }
}

/**
 * The maximum length of an `allOf` in hey-api's input. hey-api turns it into nested calls of `z.intersection`, so a
 * longer `allOf` could overflow the stack.
 */
const MOST_TOGETHER = 100

/** Splits a long `allOf` into nested `allOf`s. */
function inFew(schemas: readonly PlainSchema[]): readonly PlainSchema[] {
  if (schemas.length <= MOST_TOGETHER) return schemas
  const size = Math.ceil(schemas.length / MOST_TOGETHER)
  return Array.from({ length: Math.ceil(schemas.length / size) }, (_, group) => ({
    allOf: inFew(schemas.slice(group * size, (group + 1) * size)),
  }))
}

/** Rewrites the type null in a schema of an `allOf`. hey-api would apply this type to the whole `allOf`. */
function withOwnNull(schema: PlainSchema): PlainSchema {
  if (schema.anyOf !== undefined) return { ...schema, anyOf: schema.anyOf.map(withOwnNull) }
  return schema.type === 'null' ? { ...schema, type: 'string', [rulesKey]: { onlyNull: true } } : schema
}

function exclusionOf(group: readonly string[]): string {
  const names = group.map((name) => `\`${name}\``).join(' and ')
  return `must not have ${names}${group.length > 1 ? ' together' : ''}`
}

function withStandIn(check: Check, standIns: StandIns): Check {
  return check.check === 'pattern' ? { ...check, value: standIns.ofPattern(check.value) } : check
}

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/**
 * Renames each imported check that has the same name as a schema of the contract. In `raw`, schemas still have
 * stand-in names, so an identifier with the name of a check always means the check.
 */
function withoutClashes(raw: string, typeNames: Iterable<string>): string {
  const taken = new Set([...typeNames].map(schemaName))
  const clashing = new Set(usedPredicates(raw).filter((name) => taken.has(name)))
  if (clashing.size === 0) return raw
  const file = parse(raw, { parents: true })
  const edits: Edit[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && clashing.has(node.text)) {
      const isMember = ts.isPropertyAccessExpression(node.parent) && node.parent.name === node
      const isKey = ts.isPropertyAssignment(node.parent) && node.parent.name === node
      const own = freeName(`${node.text}Check`, (name) => taken.has(name))
      if (ts.isImportSpecifier(node.parent))
        edits.push({ start: node.getStart(file), end: node.end, text: `${node.text} as ${own}` })
      else if (!isMember && !isKey) edits.push({ start: node.getStart(file), end: node.end, text: own })
    }
    node.forEachChild(visit)
  }
  visit(file)
  return apply(raw, edits)
}

/** Prints the types of all schemas, in the order of the contract. */
function finishTypes(raw: string, model: ServiceModel): string {
  const file = parse(raw)
  const texts = new Map<string, string>()
  for (const statement of file.statements) {
    if (!ts.isTypeAliasDeclaration(statement)) continue
    const range = { start: statement.getFullStart(), end: statement.end }
    texts.set(statement.name.text, apply(raw, neutralEdits(statement, file), range))
  }
  const body = inStyle([...model.schemas.keys()].map((name) => texts.get(name)).join('')).trim()
  return `${/\bBinaryInput\b/.test(body) ? `${binaryInputType}\n` : ''}${body}\n`
}

/** Removes `never` from unions and `unknown` from intersections, because they have no effect there. */
function neutralEdits(node: ts.Node, file: ts.SourceFile): Edit[] {
  const edits: Edit[] = []
  if (ts.isUnionTypeNode(node) || ts.isIntersectionTypeNode(node)) {
    const neutral = ts.isUnionTypeNode(node) ? ts.SyntaxKind.NeverKeyword : ts.SyntaxKind.UnknownKeyword
    const first = node.types.findIndex(({ kind }) => kind !== neutral)
    node.types.forEach((type, index) => {
      if (type.kind !== neutral || first < 0) return
      const [start, end] =
        index < first
          ? [type.getStart(file), node.types[index + 1]!.getStart(file)]
          : [node.types[index - 1]!.end, type.end]
      edits.push({ start, end, text: '' })
    })
  }
  node.forEachChild((child) => void edits.push(...neutralEdits(child, file)))
  return edits
}

function finishSchemas(raw: string, model: ServiceModel): string {
  const file = parse(raw)
  const typeOf = new Map([...model.schemas.keys()].map((type) => [schemaName(type), type]))
  const isNarrowed = hasNarrowedTypes(model)
  const edits: Edit[] = []
  for (const statement of file.statements) {
    if (!ts.isVariableStatement(statement)) continue
    for (const { initializer } of statement.declarationList.declarations) {
      if (initializer)
        edits.push(...pureEdits(initializer, file), ...lazyEdits(initializer, file, { typeOf, isNarrowed }))
    }
  }
  const body = inStyle(apply(raw, edits))
    .trim()
    .replace(/^(import .* from 'zod)\/mini'/m, "$1'")
  const types = new Set([...body.matchAll(/z\.core\.\$ZodType<([^<>]+)>/g)].map(([, name = '']) => name))
  if (body.includes('<BinaryInput>')) types.add('BinaryInput')
  const typeImport =
    types.size === 0 ? '' : `import type { ${[...types].sort().join(', ')} } from './types.gen.ts'\n`
  return `${typeImport}${body}\n`
}

/**
 * The names that a generated file exports. In such a file, only statements start at the beginning of a line. So the
 * pattern can't match a string or comment from a contract.
 */
export function exportedNames(text: string): string[] {
  return [...text.matchAll(/^export (?:type|const) ([\p{ID_Continue}$]+)/gmu)]
    .map(([, name = '']) => name)
    .sort()
}

/** The names that a generated file imports from the predicates module. */
export function usedPredicates(text: string): string[] {
  const [, list] = /^import \{ (.*) \} from '\.\/predicates\.gen\.ts'/m.exec(text) ?? []
  return list?.split(', ').map((name) => name.replace(/ as .*/, '')) ?? []
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

interface LazyTypes {
  /** Maps the name of a zod schema to the name of its type. */
  readonly typeOf: ReadonlyMap<string, string>
  readonly isNarrowed: boolean
}

/** Whether a discriminator makes a type narrower than the type that zod infers from the schema. */
function hasNarrowedTypes({ schemas }: ServiceModel): boolean {
  const seen = new Set<unknown>()
  const isNarrowed = (part: unknown): boolean => {
    if (typeof part !== 'object' || part === null || seen.has(part)) return false
    seen.add(part)
    const { unsaid, isFamily } = part as Partial<Discriminator>
    return (unsaid?.length ?? 0) > 0 || isFamily === true || Object.values(part).some(isNarrowed)
  }
  return isNarrowed([...schemas.values()])
}

/**
 * Replaces the return type `any` of functions passed to `z.lazy` with the actual type. TypeScript can't infer this
 * type if a schema contains itself.
 */
function lazyEdits(node: ts.Node, file: ts.SourceFile, known: LazyTypes): Edit[] {
  const { typeOf, isNarrowed } = known
  if (ts.isArrowFunction(node) && node.type?.kind === ts.SyntaxKind.AnyKeyword) {
    const type = typeOf.get(/([\p{ID_Continue}$]+);?\s*\}?$/u.exec(node.body.getText(file))?.[1] ?? '')
    if (type === undefined) throw new Error(`cannot determine the return type of \`${node.getText(file)}\``)
    const typed = { start: node.type.getStart(file), end: node.type.end, text: `z.core.$ZodType<${type}>` }
    if (!isNarrowed || ts.isBlock(node.body)) return [typed]
    return [typed, { start: node.body.end, end: node.body.end, text: ' as never' }]
  }
  const edits: Edit[] = []
  node.forEachChild((child) => void edits.push(...lazyEdits(child, file, known)))
  return edits
}

/** @param options - `parents`: whether to set `parent` of each node. Setting it takes a third of the parsing time. */
function parse(text: string, { parents = false } = {}): ts.SourceFile {
  const options = {
    languageVersion: ts.ScriptTarget.ESNext,
    jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
  }
  return ts.createSourceFile('generated.ts', text, options, parents)
}

function apply(text: string, edits: readonly Edit[], range?: Omit<Edit, 'text'>): string {
  const parts: string[] = []
  let from = range?.start ?? 0
  for (const edit of [...edits].sort(
    (first, second) => first.start - second.start || first.end - second.end,
  )) {
    parts.push(text.slice(from, edit.start), edit.text)
    from = edit.end
  }
  return [...parts, text.slice(from, range?.end)].join('')
}

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
 * Bytes to send: a file path, bytes, a Blob or a stream. To also set the file name, media type or length, pass
 * an object whose \`content\` is the path, bytes, Blob or stream. A path works only where there is a file system.
 * In React Native, pass the object that a file picker returns: \`{ uri, name, type }\`.
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
  | {
      readonly uri: string
      readonly name?: string | null | undefined
      readonly type?: string | null | undefined
    }

/** Bytes, a Blob or a stream of bytes. */
export type BinaryContent = Blob | ArrayBuffer | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>
`
