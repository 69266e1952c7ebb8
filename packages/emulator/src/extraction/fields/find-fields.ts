import { atPointer } from '@concord/spec-model'

import { isObject, type JsonObject } from '../../core/specification.ts'
import type { FieldEntry, FoundFields, ReadPage } from '../model.ts'
import { convertText, typeOf } from './convert-value.ts'
import { findCandidates, labelsOf, toLines, type Line } from './labels.ts'
import { findTable } from './table.ts'

/**
 * Finds the fields of a JSON Schema in the text of pages. A field's value is the text next to its label, for instance
 * `Invoice number: INV-2041`. The label is the field's title, or the field's name as words. An array of objects is
 * read from a table whose column headers are labels of the objects' properties.
 *
 * A field is flagged for review if no value is found, if the value can't be converted to the field's type, or if the
 * document contains different values for the field.
 */
export function findFields({
  schema,
  pages,
}: {
  schema: JsonObject
  pages: readonly ReadPage[]
}): FoundFields {
  const lines = toLines(pages)
  const cellCount = lines.reduce((sum, { cells }) => sum + cells.length, 0)
  const budget = { comparisons: MAX_COMPARISONS }
  const search: Search = { lines, cellCount, root: schema, depth: 0, budget }
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : []
  // In an ordinary object, a field named `__proto__` would set the prototype.
  const fields: Record<string, FieldEntry> = Object.create(null)
  for (const [name, property] of propertiesOf(schema, schema)) {
    fields[name] = findField(name, labelsOf(name, property), property, search) ?? {
      value: null,
      hil_flag: true,
      reason:
        search.budget.comparisons > 0
          ? 'No value was found in the document.'
          : 'The emulator stopped searching because the schema and the document are too large in combination.',
    }
  }
  const missing = required.filter((name) => fields[name]?.found_on_page === undefined)
  return { fields, missing }
}

/**
 * The limit on `depth` prevents endless recursion if a schema refers to itself. `budget` limits the whole search,
 * because a schema with many references to itself would take exponential time.
 */
interface Search {
  readonly lines: readonly Line[]
  readonly cellCount: number
  readonly root: JsonObject
  readonly depth: number
  readonly budget: { comparisons: number }
}

const MAX_DEPTH = 4

/** The maximum number of cell-to-label comparisons per document. This many comparisons take about a second. */
const MAX_COMPARISONS = 5_000_000

const OBJECT_COST = 100

/** Returns false if the budget was already used up. */
function spend({ budget, cellCount }: Search, labelCount: number): boolean {
  if (budget.comparisons <= 0) return false
  budget.comparisons -= 1 + cellCount * labelCount
  return true
}

function findField(
  name: string,
  labels: readonly string[],
  schema: JsonObject,
  search: Search,
): FieldEntry | undefined {
  const type = typeOf(schema)
  if (type === 'object') {
    search.budget.comparisons -= OBJECT_COST
    return findObject(labels, schema, search)
  }
  if (type === 'array') return findArray(labels, schema, search)
  if (!spend(search, labels.length)) return undefined
  const candidates = findCandidates(search.lines, labels, schema).map(({ raw, page }) => ({
    converted: convertText(raw, schema),
    page,
  }))
  const readable = candidates.flatMap(({ converted, page }) =>
    'value' in converted ? [{ value: converted.value, page }] : [],
  )
  const [first] = candidates
  const [chosen] = readable
  if (!chosen)
    return first && 'problem' in first.converted
      ? entryOf(null, first.page, `${first.converted.problem}.`)
      : undefined
  const values = new Set(readable.map(({ value }) => JSON.stringify(value)))
  const reason = `The document contains ${values.size} different values: ${[...values].join(', ')}.`
  return entryOf(chosen.value, chosen.page, values.size > 1 ? reason : '')
}

function findObject(labels: readonly string[], schema: JsonObject, search: Search): FieldEntry | undefined {
  if (search.depth >= MAX_DEPTH) return undefined
  const deeper = { ...search, depth: search.depth + 1 }
  const value: Record<string, unknown> = {}
  const problems: string[] = []
  let page: number | undefined
  for (const [name, property] of propertiesOf(schema, search.root)) {
    if (search.budget.comparisons <= 0) break
    const own = labelsOf(name, property)
    const full = labels.flatMap((label) => own.map((part) => `${label} ${part}`))
    const entry = findField(name, full, property, deeper) ?? findField(name, own, property, deeper)
    if (!entry) {
      problems.push(`${name}: not found`)
      continue
    }
    value[name] = entry.value
    page ??= entry.found_on_page
    if (entry.hil_flag) problems.push(`${name}: ${entry.reason}`)
  }
  return page === undefined ? undefined : entryOf(value, page, problems.join('; '))
}

function findArray(labels: readonly string[], schema: JsonObject, search: Search): FieldEntry | undefined {
  const { lines, root } = search
  const items = dereference(isObject(schema['items']) ? schema['items'] : {}, root)
  if (typeOf(items) === 'object') {
    const properties = Object.fromEntries(propertiesOf(items, root))
    if (!spend(search, Object.keys(properties).length)) return undefined
    const table = findTable(lines, { properties })
    return table && entryOf(table.rows, table.page, toSentence(table.problems))
  }
  if (!spend(search, labels.length)) return undefined
  const candidate = findCandidates(lines, labels, { type: 'string' })[0]
  if (!candidate) return undefined
  const converted = candidate.raw.split(/[,;]\s+|;/).map((part) => convertText(part, items))
  const value = converted.map((part) => ('value' in part ? part.value : null))
  const problems = converted.flatMap((part) => ('problem' in part ? [part.problem] : []))
  return entryOf(value, candidate.page, toSentence(problems.slice(0, 1)))
}

function toSentence(problems: readonly string[]): string {
  return problems.length > 0 ? `${problems.join('; ')}.` : ''
}

function entryOf(value: unknown, page: number, reason: string): FieldEntry {
  return reason === ''
    ? { value, hil_flag: false, found_on_page: page }
    : { value, hil_flag: true, reason, found_on_page: page }
}

function propertiesOf(schema: JsonObject, root: JsonObject): [string, JsonObject][] {
  const { properties } = dereference(schema, root)
  if (!isObject(properties)) return []
  return Object.entries(properties).map(([name, property]) => [
    name,
    dereference(isObject(property) ? property : {}, root),
  ])
}

/** Follows at most 16 references within the schema, because references can form a cycle. */
function dereference(schema: JsonObject, root: JsonObject): JsonObject {
  let at = schema
  for (let steps = 0; steps < 16; steps++) {
    const reference = at['$ref']
    if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference)) return at
    const target = atPointer(root, reference.slice(1))
    if (!isObject(target)) return at
    at = target
  }
  return at
}
