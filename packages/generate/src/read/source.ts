import { readFileSync } from 'node:fs'

import { isMap, isNode, isScalar, parseDocument, type Document } from 'yaml'

import { GenerationError, type Place } from '../problems.ts'
import { type JsonObject, isObject } from './json.ts'
import { fromDraft07 } from './draft-07.ts'
import { readJson } from './json-text.ts'
import { isOpenApi30, upgraded } from './upgrade.ts'
import { pointerSegments, segmentsToPointer } from './pointer.ts'
import { wrongShape } from './shape.ts'

export type { Place }

/** A parsed contract file. */
export interface Source {
  /** The name of the file, or an http(s) URL without its query, which may contain a credential. */
  readonly file: string
  /** The whole URL, if it has a query. It must not appear in a message or a file. */
  readonly address?: string
  readonly text: string
  readonly value: JsonObject
  /** The place of a JSON pointer in this file. The line is that of the member's key, or of the list item. */
  place(pointer: string): Place
  /** The files, if the contract was put together from several. */
  readonly parts?: readonly Source[]
}

/** Reads a YAML or JSON contract. `file` is the name to use in messages and in generated text. */
export function readSource(path: string, file: string): Source {
  return parseSource(readFileSync(path, 'utf8'), file)
}

export function parseSource(text: string, file: string): Source {
  return contractOf(parseTree(text, file))
}

/** Turns a document into a contract, by rewriting its schemas with the keywords of JSON Schema 2020-12. */
export function contractOf(document: Source): Source {
  return { ...document, value: inWordsOf2020(document.value) }
}

/** Parses any YAML or JSON document, without converting its schemas. */
export function parseTree(given: string, file: string): Source {
  // A lone carriage return also ends a line (YAML 1.2, section 5.4), but the parser doesn't support that.
  const text = given.replaceAll(/\r(?!\n)/g, '\n')
  const lineAt = lineFinder(text)
  const located = (value: JsonObject, offsetOf: FindOffset): Source => {
    // In a document of one line, line numbers are useless.
    const isOneLine = !text.trimEnd().includes('\n')
    const place = (pointer: string) => locate(offsetOf, isOneLine ? undefined : lineAt, file, pointer)
    const wrong = wrongShape(value)
    if (wrong)
      throw new GenerationError([{ place: place(segmentsToPointer(wrong.path)), reason: wrong.reason }])
    return { file, text, value, place }
  }
  const json = readJson(text)
  if (json !== undefined) return located(json.value, json.offsetOf)
  const document = withinDepth(file, () => parseDocument(text, { uniqueKeys: true, merge: true }))
  if (document.errors.length > 0) {
    throw new GenerationError(
      document.errors.map((error) => ({
        place: { file, pointer: '#', line: lineAt(error.pos[0]) },
        reason: `not valid YAML${file.endsWith('.json') ? ' or JSON' : ''}: ${oneLine(error.message)}`,
      })),
    )
  }
  const value: unknown = withinDepth(file, () => document.toJS({ maxAliasCount: MAX_ALIASES }))
  if (!isObject(value)) {
    throw new GenerationError([{ place: { file, pointer: '#' }, reason: notADocument(text, value) }])
  }
  return located(value, (segments) => offsetIn(document, segments))
}

/** The parser's message, without the excerpt of the document that follows the message. */
function oneLine(message: string): string {
  return message
    .replace(/:\n[^]*$/, '')
    .replace(/ at line \d+, column \d+$/, '')
    .replace('; please use YAML.parseAllDocuments()', ', but a contract must be a single document')
}

function notADocument(text: string, value: unknown): string {
  if (/^\s*<(?:!doctype|html)/i.test(text))
    return 'it is an HTML page, not a document in YAML or JSON; use the address of the document itself'
  const found = value === null ? 'is empty' : Array.isArray(value) ? 'is a list' : `is a ${typeof value}`
  return `the document ${found}, but must be an object, such as one that begins with \`openapi: 3.1.0\``
}

function inWordsOf2020(value: JsonObject): JsonObject {
  if (isOpenApi30(value)) return upgraded(value)
  const isDraft07 = /^http:\/\/json-schema\.org\/draft-0[67]\/schema/.test(String(value['$schema']))
  return isDraft07 || String(value['asyncapi']).startsWith('3.') ? fromDraft07(value) : value
}

/** The maximum number of values that YAML aliases may expand to. With no limit, a small file could exhaust memory. */
const MAX_ALIASES = 100_000

function conversionReason(error: unknown): string {
  if (error instanceof RangeError) return 'the document is nested too deeply'
  const message = error instanceof Error ? error.message : String(error)
  return message.startsWith('Excessive alias count')
    ? `the document's aliases expand to more than ${MAX_ALIASES} values, which could exhaust memory; replace aliases with \`$ref\`s to components`
    : `not valid YAML: ${message}`
}

/**
 * Runs a recursive function on a document.
 *
 * @throws GenerationError if the function fails, for example because of deep nesting.
 */
function withinDepth<Result>(file: string, run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    throw new GenerationError([{ place: { file, pointer: '#' }, reason: conversionReason(error) }])
  }
}

/** Finds the offset of a member or an item of a document; undefined if the member or item doesn't exist. */
type FindOffset = (segments: readonly string[]) => number | undefined

/** The place of a pointer. If the pointer leads to nothing, the line is that of its closest existing ancestor. */
function locate(
  offsetOf: FindOffset,
  lineAt: ((offset: number) => number) | undefined,
  file: string,
  pointer: string,
): Place {
  const segments = pointerSegments(pointer)
  const unknown = { file, pointer: segmentsToPointer(segments) }
  if (lineAt === undefined) return unknown
  for (let length = segments.length; length > 0; length--) {
    const offset = offsetOf(segments.slice(0, length))
    if (offset !== undefined) return { file, pointer, line: lineAt(offset) }
  }
  return unknown
}

/** The offset of a member's key, or of a list item, in a YAML document. */
function offsetIn(document: Document, segments: readonly string[]): number | undefined {
  const parent: unknown =
    segments.length === 1 ? document.contents : document.getIn(segments.slice(0, -1), true)
  const pair = isMap(parent)
    ? parent.items.find(({ key }) => isScalar(key) && String(key.value) === segments.at(-1))
    : undefined
  const node: unknown = pair ? pair.key : document.getIn(segments, true)
  return isNode(node) && node.range ? node.range[0] : undefined
}

function lineFinder(text: string): (offset: number) => number {
  let ends: number[] | undefined
  return (offset) => {
    ends ??= [...text.matchAll(/\n/g)].map(({ index }) => index)
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (ends[middle]! < offset) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}
