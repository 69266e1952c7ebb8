import { isObject, type JsonObject } from '../../core/specification.ts'
import { convertText } from './convert-value.ts'
import { isLabel, labelsOf, type Line } from './labels.ts'

/** The rows of a table that was found. */
export interface TableRows {
  rows: Record<string, unknown>[]
  /** The page of the first row. */
  page: number
  problems: string[]
}

/**
 * Finds the table whose header names the properties of a row, and reads its rows. Every column that is a property
 * of the row is read; rows end where a line has another number of columns. A header that is repeated, as on the
 * next page, goes on with the same table.
 */
export function findTable(lines: readonly Line[], rowSchema: JsonObject): TableRows | undefined {
  const properties = Object.entries(isObject(rowSchema['properties']) ? rowSchema['properties'] : {}).flatMap(
    ([name, schema]) => (isObject(schema) ? [{ name, schema, labels: labelsOf(name, schema) }] : []),
  )
  const rows: Record<string, unknown>[] = []
  const problems: string[] = []
  let page: number | undefined
  for (const [index, line] of lines.entries()) {
    const columns = line.cells.map((cell) => properties.find(({ labels }) => isLabel(cell, labels)))
    const named = new Set(columns.filter((column) => column !== undefined)).size
    if (named < Math.min(2, properties.length) || named * 2 < properties.length || named === 0) continue
    for (const { cells, page: rowPage } of lines.slice(index + 1)) {
      if (cells.length !== line.cells.length || rowPage !== line.page) break
      const row: Record<string, unknown> = {}
      for (const [position, column] of columns.entries()) {
        if (!column) continue
        const converted = convertText(cells[position] ?? '', column.schema)
        row[column.name] = 'value' in converted ? converted.value : null
        if ('problem' in converted)
          problems.push(`row ${rows.length + 1}, ${column.name}: ${converted.problem}`)
      }
      rows.push(row)
      page ??= rowPage
    }
  }
  return page === undefined ? undefined : { rows, page, problems }
}
