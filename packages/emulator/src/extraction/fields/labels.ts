import type { JsonObject } from '../../core/specification.ts'
import type { ReadPage } from '../model.ts'
import { convertText, typeOf } from './convert-value.ts'

/** A line of a document, cut into its columns. */
export interface Line {
  readonly page: number
  readonly cells: string[]
}

/** The text next to a label. */
export interface Candidate {
  readonly raw: string
  readonly page: number
}

/** Cuts the text of pages into lines. */
export function toLines(pages: readonly ReadPage[]): Line[] {
  return pages.flatMap((page) =>
    page.text.split('\n').map((text) => ({
      page: page.number,
      cells: text
        .split(/\s{2,}|\t|\s*\|\s*/)
        .map((cell) => cell.trim())
        .filter((cell) => cell !== ''),
    })),
  )
}

/** The labels that a property may have in a document: its title, and its name as words. */
export function labelsOf(name: string, schema: JsonObject): string[] {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[_\-.]+/g, ' ')
    .trim()
  const title = typeof schema['title'] === 'string' ? schema['title'].trim() : ''
  return [...new Set([title, words].map((label) => label.toLowerCase()).filter((label) => label !== ''))]
}

/** Whether the text is exactly one of the labels. */
export function isLabel(text: string, labels: readonly string[]): boolean {
  const plain = normalize(text)
  return labels.some((label) => normalize(label) === plain)
}

/** All text next to one of the labels: after it, in the next column, or on the line below it. */
export function findCandidates(
  lines: readonly Line[],
  labels: readonly string[],
  schema: JsonObject,
): Candidate[] {
  const parts = labels.map(partsOf)
  const loose = ['number', 'integer', 'boolean'].includes(typeOf(schema)) || schema['format'] === 'date'
  return lines.flatMap((line, lineIndex) =>
    line.cells.flatMap((cell, cellIndex) => {
      const raw = parts
        .map((words) =>
          valueBeside(readLabel(cell, words), line.cells[cellIndex + 1], lines[lineIndex + 1], line),
        )
        .find(
          (value) =>
            value !== undefined && (value.sure || (loose && 'value' in convertText(value.text, schema))),
        )
      return raw ? [{ raw: raw.text, page: line.page }] : []
    }),
  )
}

/** `sure` is false if only a space separates label and value. */
interface Beside {
  text: string
  readonly sure: boolean
}

function valueBeside(
  match: LabelledCell | undefined,
  nextCell: string | undefined,
  nextLine: Line | undefined,
  line: Line,
): Beside | undefined {
  if (!match) return undefined
  const { separator, rest } = match
  if (rest !== '') return { text: rest, sure: separator.trim() !== '' }
  if (nextCell !== undefined) return { text: nextCell, sure: true }
  const below = nextLine?.page === line.page ? nextLine.cells[0] : undefined
  return separator.includes(':') && below !== undefined ? { text: below, sure: true } : undefined
}

/** A cell that begins with a label. */
interface LabelledCell {
  /** The separator of label and value. */
  readonly separator: string
  readonly rest: string
}

const AFTER_LABEL = /\s*[:=#]\s*|\s*\.{2,}\s*|\s+|$/y
const BETWEEN_WORDS = /[\s_-]+/y

/** The words of a label, in lower case. A hyphen or an underscore separates words as a space does. */
function partsOf(label: string): string[] {
  return label
    .toLowerCase()
    .split(/[\s_-]+/)
    .filter((word) => word !== '')
}

/**
 * Reads a cell that begins with the words of a label; `undefined` if it doesn't. Goes through the cell once: labels come
 * from the caller's schema, so they must not become a pattern that could backtrack.
 */
function readLabel(cell: string, words: readonly string[]): LabelledCell | undefined {
  if (words.length === 0) return undefined
  let at = 0
  for (const [index, word] of words.entries()) {
    if (index > 0) {
      const end = matchAt(BETWEEN_WORDS, cell, at)
      if (end === undefined) return undefined
      at = end
    }
    if (cell.slice(at, at + word.length).toLowerCase() !== word) return undefined
    at += word.length
  }
  const end = matchAt(AFTER_LABEL, cell, at)
  return end === undefined ? undefined : { separator: cell.slice(at, end), rest: cell.slice(end) }
}

/** Where a match that begins at `at` ends. */
function matchAt(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}

function normalize(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[\s_\-.:#]+/g, ' ')
    .trim()
}
