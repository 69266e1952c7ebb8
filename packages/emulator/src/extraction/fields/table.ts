import { isObject, type JsonObject } from '../../core/specification.ts'
import { convertText } from './convert-value.ts'
import { isLabel, labelsOf, type Line } from './labels.ts'

interface TableRows {
  readonly rows: Record<string, unknown>[]
  /** The page of the first row. */
  readonly page: number
  readonly problems: string[]
}

/** A property of the row schema. */
interface Column {
  readonly name: string
  readonly schema: JsonObject
  readonly labels: readonly string[]
}

/**
 * Finds a table by its header: a line with labels of at least half of the properties in `rowSchema`. If there are two
 * properties, the header must have labels of both. Reads the rows below the header, up to the end of the page or a
 * line with a different number of columns. A table can have several headers, for instance one on each page.
 */
export function findTable(lines: readonly Line[], rowSchema: JsonObject): TableRows | undefined {
  const properties: Column[] = Object.entries(
    isObject(rowSchema['properties']) ? rowSchema['properties'] : {},
  ).flatMap(([name, schema]) => (isObject(schema) ? [{ name, schema, labels: labelsOf(name, schema) }] : []))
  const rows: Record<string, unknown>[] = []
  const problems: string[] = []
  let page: number | undefined
  let header: { columns: readonly (Column | undefined)[]; page: number } | undefined
  for (const { cells, page: linePage } of lines) {
    const columns = cells.map((cell) => properties.find(({ labels }) => isLabel(cell, labels)))
    const named = new Set(columns.filter((column) => column !== undefined)).size
    if (named >= Math.min(2, properties.length) && named * 2 >= properties.length && named > 0) {
      header = { columns, page: linePage }
      continue
    }
    if (!header) continue
    if (cells.length !== header.columns.length || linePage !== header.page) {
      header = undefined
      continue
    }
    const row: Record<string, unknown> = {}
    for (const [position, column] of header.columns.entries()) {
      if (!column) continue
      const converted = convertText(cells[position] ?? '', column.schema)
      row[column.name] = 'value' in converted ? converted.value : null
      if ('problem' in converted)
        problems.push(`row ${rows.length + 1}, ${column.name}: ${converted.problem}`)
    }
    rows.push(row)
    page ??= linePage
  }
  return page === undefined ? undefined : { rows, page, problems }
}
