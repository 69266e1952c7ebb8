import { log, spinner } from '@clack/prompts'

/** The results of one part of the tour, for the summary. */
export interface TourResult {
  readonly service: string
  readonly done: readonly string[]
}

/** Shows progress: as a spinner on a terminal, otherwise as a line for each change. */
export interface Progress {
  update(text: string): void
  done(text: string): void
}

/** Starts to show progress. */
export function progress(text: string): Progress {
  if (process.stdout.isTTY) {
    const shown = spinner()
    shown.start(text)
    return { update: (next) => shown.message(next), done: (last) => shown.stop(last) }
  }
  let latest = text
  log.message(text)
  return {
    update(next) {
      if (next !== latest) log.message(next)
      latest = next
    },
    done: (last) => log.success(last),
  }
}

/** Formats rows in aligned columns. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
  )
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

/** Returns the start of a string, on one line. */
export function excerpt(text: string, length: number): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim()
  return flat.length <= length ? flat : `${flat.slice(0, length - 3)}...`
}
