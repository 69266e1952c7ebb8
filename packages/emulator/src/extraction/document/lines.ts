import type { TextBox } from '../model.ts'

const COLUMN_GAP = '   '

/**
 * Joins text boxes into lines, from top to bottom and from left to right. A large horizontal gap becomes
 * {@link COLUMN_GAP}, and a large vertical gap becomes an empty line.
 */
export function boxesToText(boxes: readonly TextBox[]): string {
  const rows: TextBox[][] = []
  for (const box of [...boxes].sort((left, right) => left.y - right.y || left.x - right.x)) {
    const row = rows.at(-1)
    const first = row?.[0]
    if (row && first && Math.abs(box.y - first.y) < Math.max(first.height, box.height) / 2) row.push(box)
    else rows.push([box])
  }
  const lines: string[] = []
  let previous: TextBox | undefined
  for (const row of rows) {
    const [first] = row
    if (!first) continue
    if (previous && first.y - previous.y > 2 * Math.max(previous.height, first.height)) lines.push('')
    lines.push(rowToText(row))
    previous = first
  }
  return lines.join('\n')
}

function rowToText(row: readonly TextBox[]): string {
  let text = ''
  let end: number | undefined
  for (const box of [...row].sort((left, right) => left.x - right.x)) {
    if (end !== undefined) {
      const gap = box.x - end
      if (gap > 1.2 * box.height) text += COLUMN_GAP
      else if (gap > 0.15 * box.height && !text.endsWith(' ') && !box.text.startsWith(' ')) text += ' '
    }
    text += box.text
    end = box.x + box.width
  }
  return text.trimEnd()
}
