import { readFileSync } from 'node:fs'

import { LineCounter, isMap, isNode, isScalar, parseDocument, type Document } from 'yaml'

import { GenerationError, type Place } from '../problems.ts'
import { type JsonObject, isObject } from './json.ts'
import { fromDraft07 } from './draft-07.ts'
import { isOpenApi30, upgraded } from './upgrade.ts'
import { pointerSegments, segmentsToPointer } from './pointer.ts'

export type { Place }

/** A contract file, read but not interpreted. */
export interface Source {
  /** The name of the file. */
  readonly file: string
  readonly text: string
  readonly value: JsonObject
  /** The place of a JSON pointer in this file, with the line of its key, or of itself in a list. */
  place(pointer: string): Place
  /** The files that it was put together from, if these are several. */
  readonly parts?: readonly Source[]
}

/** Reads a YAML or JSON contract. `file` is the name to use in messages and in generated text. */
export function readSource(path: string, file: string): Source {
  return parseSource(readFileSync(path, 'utf8'), file)
}

/** Parses a contract that is already read. */
export function parseSource(text: string, file: string): Source {
  return contractOf(parseTree(text, file))
}

/** A document as a contract: its schemas are written in the words of JSON Schema 2020-12. */
export function contractOf(document: Source): Source {
  return { ...document, value: inWordsOf2020(document.value) }
}

/** Parses a YAML or JSON document of any kind, which stays as it is written. */
export function parseTree(text: string, file: string): Source {
  const lines = new LineCounter()
  const document = withinDepth(file, () =>
    parseDocument(text, { lineCounter: lines, uniqueKeys: true, merge: true }),
  )
  if (document.errors.length > 0) {
    throw new GenerationError(
      document.errors.map((error) => ({
        place: { file, pointer: '#', line: lines.linePos(error.pos[0]).line },
        reason: `not valid YAML: ${error.message}`,
      })),
    )
  }
  const value: unknown = withinDepth(file, () => document.toJS({ maxAliasCount: MAX_ALIASES }))
  if (!isObject(value)) {
    throw new GenerationError([{ place: { file, pointer: '#' }, reason: 'the document is not an object' }])
  }
  return {
    file,
    text,
    value,
    place: (pointer) => locate(document, lines, file, pointer),
  }
}

/** A document with its schemas in the words of JSON Schema 2020-12. AsyncAPI 2 is converted before. */
function inWordsOf2020(value: JsonObject): JsonObject {
  if (isOpenApi30(value)) return upgraded(value)
  const isDraft07 = /^http:\/\/json-schema\.org\/draft-0[67]\/schema/.test(String(value['$schema']))
  return isDraft07 || String(value['asyncapi']).startsWith('3.') ? fromDraft07(value) : value
}

/** Most values that aliases of YAML may stand for, so that a small file can't grow without end. */
const MAX_ALIASES = 100_000

/** Runs something that goes as deep as a document is nested. */
function withinDepth<Result>(file: string, run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    const reason =
      error instanceof RangeError
        ? 'the document is nested too deeply'
        : `not valid YAML: ${error instanceof Error ? error.message : String(error)}`
    throw new GenerationError([{ place: { file, pointer: '#' }, reason }])
  }
}

function locate(document: Document, lines: LineCounter, file: string, pointer: string): Place {
  const segments = pointerSegments(pointer)
  for (let length = segments.length; length > 0; length--) {
    const name = segments[length - 1]
    const parent: unknown =
      length === 1 ? document.contents : document.getIn(segments.slice(0, length - 1), true)
    const pair = isMap(parent)
      ? parent.items.find(({ key }) => isScalar(key) && String(key.value) === name)
      : undefined
    const node: unknown = pair ? pair.key : document.getIn(segments.slice(0, length), true)
    if (isNode(node) && node.range) return { file, pointer, line: lines.linePos(node.range[0]).line }
  }
  return { file, pointer: segmentsToPointer(segments) }
}
