import { ASTNodeTypes, type TxtDocumentNode, type TxtNode } from '@textlint/ast-node-types'
import { parseSync } from 'oxc-parser'
import { isScalar, parseDocument, visit } from 'yaml'

/** A piece of prose in a file, as offsets into the file. */
interface Passage {
  readonly start: number
  readonly end: number
}

const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ')

/** Masks what isn't prose in a passage: comment marks, code in backticks, substitutions. Offsets stay the same. */
function proseOnly(text: string): string {
  return text
    .replaceAll(/^[ \t]*(?:\/\*\*?|\*\/|\*(?!\*)|\/\/+)/gm, blank)
    .replaceAll(/\*\/$/g, blank)
    .replaceAll(/```[\s\S]*?```/g, blank)
    .replaceAll(/`[^`\n]*`/g, (code) => `${'x'.repeat(code.length)}`)
    .replaceAll(/\$\{[^}]*\}/g, (code) => `${'x'.repeat(code.length)}`)
    .replaceAll(/\{@link [^}]*\}/g, (code) => `${'x'.repeat(code.length)}`)
}

/** Splits a passage into paragraphs: at blank lines, and before list items, table rows and TSDoc tags. */
function paragraphs(text: string, passage: Passage): readonly Passage[] {
  const found: Passage[] = []
  const boundary = /\n[ \t]*(?:\n|(?=@\w+|[-*•] |\d+\. |\|))/g
  let start = 0
  for (const { index } of [...text.matchAll(boundary), { index: text.length }]) {
    const piece = text.slice(start, index)
    if (/\p{L}/u.test(piece)) {
      const lead = piece.length - piece.trimStart().length
      found.push({
        start: passage.start + start + lead,
        end: passage.start + start + piece.trimEnd().length,
      })
    }
    start = index
  }
  return found
}

const PRAGMA = /^\s*(?:oxlint|eslint|@ts-|#(?:end)?region|prettier|v8 ignore|\/ <reference)/

/**
 * Matches template strings that contain HTML or CSS. They aren't checked, because the text that people read is in
 * other strings.
 */
const MARKUP = /<\/?[a-z]\w*[ >]|<!doctype|[\w-]+\s*\{[^}]*:[^}]*;/i

/** Matches source code in a string, such as a script that a test file runs in another process. */
const PROGRAM = /^\s*(?:const|let|import|export) .*\n/m

/** Whether a string reads as a sentence or a title, that is, has at least three words. */
const isSentence = (value: string): boolean => /\p{L}{2,}[,:]? \S*\p{L}\S* \S*\p{L}/u.test(value)

interface Node {
  readonly type?: string
  readonly start?: number
  readonly end?: number
  readonly value?: unknown
}

interface Tagged {
  readonly tag: { readonly name?: string }
  readonly quasi: { readonly expressions: readonly unknown[] }
}

function strings(node: unknown, found: Passage[]): void {
  if (Array.isArray(node)) {
    for (const each of node) strings(each, found)
    return
  }
  if (typeof node !== 'object' || node === null) return
  const { type, start = 0, end = 0, value } = node as Node
  if (type === 'ImportDeclaration' || type === 'ExportAllDeclaration') return
  if (type === 'Literal' && typeof value === 'string') {
    if (isSentence(value)) found.push({ start: start + 1, end: end - 1 })
    return
  }
  // SQL isn't prose. Only its substitutions are searched.
  if (type === 'TaggedTemplateExpression' && (node as Tagged).tag.name === 'sql')
    return strings((node as Tagged).quasi.expressions, found)
  if (type === 'TemplateLiteral') found.push({ start: start + 1, end: end - 1 })
  for (const each of Object.values(node)) strings(each, found)
}

function passagesOfTypeScript(text: string): readonly Passage[] {
  const { program, comments } = parseSync('file.ts', text)
  const found: Passage[] = []
  strings(program, found)
  const templates = found.filter(({ start, end }) => {
    const content = text.slice(start, end)
    // A string that is split into a list of words isn't prose.
    if (text.startsWith('.split(', end + 1)) return false
    return isSentence(content) && !PROGRAM.test(content) && !MARKUP.test(content)
  })
  const remarks: { start: number; end: number }[] = []
  for (const { start, end, type, value } of comments) {
    if (PRAGMA.test(value)) continue
    const last = remarks.at(-1)
    const continues = last !== undefined && /^\n[ \t]*$/.test(text.slice(last.end, start))
    if (type === 'Line' && continues && text.startsWith('//', last.start)) last.end = end
    else remarks.push({ start, end })
  }
  return [...remarks, ...templates].toSorted((a, b) => a.start - b.start)
}

/** Finds the sentences and titles among the values of a contract, such as descriptions. */
function passagesOfYaml(text: string): readonly Passage[] {
  const found: Passage[] = []
  visit(parseDocument(text), {
    Pair(_, { key, value }) {
      const name = isScalar(key) ? key.value : undefined
      if (name === 'example' || name === 'examples' || name === 'default') return visit.SKIP
      if (!isScalar(value) || typeof value.value !== 'string' || !value.range) return undefined
      const [start, end] = value.range
      // A quoted or block string begins with one mark that isn't part of its text: a quote, `|` or `>`.
      const mark = value.type === 'PLAIN' ? 0 : 1
      if (isSentence(value.value)) found.push({ start: start + mark, end })
      return undefined
    },
  })
  return found
}

/** Builds the tree that textlint checks. It has a node for each paragraph of each passage. */
function documentOf(text: string, passages: readonly Passage[]): { text: string; ast: TxtDocumentNode } {
  let masked = blank(text)
  const pieces: string[] = []
  let at = 0
  const children: TxtNode[] = []
  const lineStarts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
  const position = (offset: number) => {
    let low = 0
    let high = lineStarts.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((lineStarts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - (lineStarts[low] ?? 0) }
  }
  const node = (type: string, { start, end }: Passage, more: object): TxtNode =>
    ({
      type,
      raw: '',
      range: [start, end],
      loc: { start: position(start), end: position(end) },
      ...more,
    }) as unknown as TxtNode
  for (const passage of passages) {
    const prose = proseOnly(text.slice(passage.start, passage.end))
    pieces.push(masked.slice(at, passage.start), prose)
    at = passage.end
    for (const paragraph of paragraphs(prose, passage)) {
      const raw = prose.slice(paragraph.start - passage.start, paragraph.end - passage.start)
      const str = node(ASTNodeTypes.Str, paragraph, { raw, value: raw })
      children.push(node(ASTNodeTypes.Paragraph, paragraph, { raw, children: [str] }))
    }
  }
  pieces.push(masked.slice(at))
  masked = pieces.join('')
  const whole = { start: 0, end: text.length }
  const ast = node(ASTNodeTypes.Document, whole, { raw: masked, children })
  return { text: masked, ast: ast as TxtDocumentNode }
}

const READERS = { '.ts': passagesOfTypeScript, '.yaml': passagesOfYaml } as const

/** A textlint plugin that reads the prose of TypeScript files and contracts. */
export const proseOfCode = {
  Processor: class {
    availableExtensions(): string[] {
      return Object.keys(READERS)
    }
    processor(extension: string) {
      return {
        preProcess: (text: string) => documentOf(text, READERS[extension as keyof typeof READERS](text)),
        postProcess: <T>(messages: T, filePath = '') => ({ messages, filePath }),
      }
    }
  },
}
