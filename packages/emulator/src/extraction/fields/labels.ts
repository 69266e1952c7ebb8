import type { JsonObject } from '../../core/specification.ts'
import type { ReadPage } from '../model.ts'
import { convertText, typeOf } from './convert-value.ts'

/** A line of a document, split into columns. */
export interface Line {
  readonly page: number
  readonly cells: string[]
}

/** Text that may be the value of a field. */
interface Candidate {
  readonly raw: string
  readonly page: number
}

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

/** Returns the labels that a property may have in a document: its title, and its name as words. */
export function labelsOf(name: string, schema: JsonObject): string[] {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[_\-.]+/g, ' ')
    .trim()
  const title = typeof schema['title'] === 'string' ? schema['title'].trim() : ''
  return [...new Set([title, words].map((label) => label.toLowerCase()).filter((label) => label !== ''))]
}

/** Whether the text is one of the labels. Ignores case, and treats the characters `_-.:#` as spaces. */
export function isLabel(text: string, labels: readonly string[]): boolean {
  const plain = normalize(text)
  return labels.some((label) => normalize(label) === plain)
}

/** Finds all text next to one of the labels: after the label, in the next column, or on the line below. */
export function findCandidates(
  lines: readonly Line[],
  labels: readonly string[],
  schema: JsonObject,
): Candidate[] {
  const parts = labels.map(partsOf)
  const isTyped = ['number', 'integer', 'boolean'].includes(typeOf(schema)) || schema['format'] === 'date'
  return lines.flatMap((line, lineIndex) =>
    line.cells.flatMap((cell, cellIndex) => {
      const raw = parts
        .map((words) =>
          valueBeside(readLabel(cell, words), line.cells[cellIndex + 1], lines[lineIndex + 1], line),
        )
        .find(
          (value) =>
            value !== undefined &&
            (value.isCertain || (isTyped && 'value' in convertText(value.text, schema))),
        )
      return raw ? [{ raw: raw.text, page: line.page }] : []
    }),
  )
}

interface Beside {
  text: string
  /** False if only a space separates the text from the label. */
  readonly isCertain: boolean
}

function valueBeside(
  match: LabelledCell | undefined,
  nextCell: string | undefined,
  nextLine: Line | undefined,
  line: Line,
): Beside | undefined {
  if (!match) return undefined
  const { separator, rest } = match
  if (rest !== '') return { text: rest, isCertain: separator.trim() !== '' }
  if (nextCell !== undefined) return { text: nextCell, isCertain: true }
  const below = nextLine?.page === line.page ? nextLine.cells[0] : undefined
  return separator.includes(':') && below !== undefined ? { text: below, isCertain: true } : undefined
}

/** A cell that begins with a label. */
interface LabelledCell {
  /** The characters between the label and the value. */
  readonly separator: string
  readonly rest: string
}

const AFTER_LABEL = /\s*[:=#]\s*|\s*\.{2,}\s*|\s+|$/y
const BETWEEN_WORDS = /[\s_-]+/y

function partsOf(label: string): string[] {
  return label
    .toLowerCase()
    .split(/[\s_-]+/)
    .filter((word) => word !== '')
}

/**
 * Splits a cell that begins with a label. This function makes no regular expression from the label, because labels
 * come from the caller's schema, and such an expression could take very long.
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
