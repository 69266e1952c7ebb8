import type { JsonObject } from '../../core/specification.ts'
import type { ReadPage } from '../model.ts'
import { convertText, typeOf } from './convert-value.ts'

/** A line of a document, cut into its columns. */
export interface Line {
  page: number
  cells: string[]
}

/** What stands beside a label. */
export interface Candidate {
  raw: string
  page: number
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

/** Whether a text is one of the labels and nothing else. */
export function isLabel(text: string, labels: readonly string[]): boolean {
  const plain = normalize(text)
  return labels.some((label) => normalize(label) === plain)
}

/** Everything that stands beside one of the labels: after it, in the next column, or on the line below it. */
export function findCandidates(
  lines: readonly Line[],
  labels: readonly string[],
  schema: JsonObject,
): Candidate[] {
  const patterns = labels.map(labelPattern)
  const loose = ['number', 'integer', 'boolean'].includes(typeOf(schema)) || schema['format'] === 'date'
  return lines.flatMap((line, lineIndex) =>
    line.cells.flatMap((cell, cellIndex) => {
      const raw = patterns
        .map((pattern) =>
          valueBeside(pattern.exec(cell), line.cells[cellIndex + 1], lines[lineIndex + 1], line),
        )
        .find(
          (value) =>
            value !== undefined && (value.sure || (loose && 'value' in convertText(value.text, schema))),
        )
      return raw ? [{ raw: raw.text, page: line.page }] : []
    }),
  )
}

/** `sure` is false where only a space stands between label and value. */
interface Beside {
  text: string
  sure: boolean
}

function valueBeside(
  match: RegExpExecArray | null,
  nextCell: string | undefined,
  nextLine: Line | undefined,
  line: Line,
): Beside | undefined {
  if (!match) return undefined
  const [, separator = '', rest = ''] = match
  if (rest !== '') return { text: rest, sure: separator.trim() !== '' }
  if (nextCell !== undefined) return { text: nextCell, sure: true }
  const below = nextLine?.page === line.page ? nextLine.cells[0] : undefined
  return separator.includes(':') && below !== undefined ? { text: below, sure: true } : undefined
}

/** Matches a cell that begins with a label; the first group is what separates it from the value. */
function labelPattern(label: string): RegExp {
  const words = label.split(/\s+/).map((word) => word.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
  return new RegExp(`^${words.join('[\\s_-]+')}(\\s*[:=#]\\s*|\\s*\\.{2,}\\s*|\\s+|$)(.*)$`, 'i')
}

function normalize(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[\s_\-.:#]+/g, ' ')
    .trim()
}
