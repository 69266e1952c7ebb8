import type { SeenSocketEvent } from './seen.ts'

/**
 * Formats an event as one line, followed by one line per finding. The lines contain sizes and names, but no message
 * content.
 *
 * @public
 */
export function transcriptLine(seen: SeenSocketEvent): string {
  const time = `${(seen.atMs / 1000).toFixed(3).padStart(9)} s`
  const mark = seen.findings.length > 0 ? 'BROKEN' : 'ok    '
  const lines = [`${mark} ${time} #${seen.connection} ${whatOf(seen)}`]
  for (const { at, message } of seen.findings) lines.push(`${' '.repeat(20)}${at}: ${message}`)
  return lines.join('\n')
}

function whatOf(seen: SeenSocketEvent): string {
  switch (seen.kind) {
    case 'opened':
      return `opened ${seen.channel} (${seen.path})`
    case 'denied':
      return `denied ${seen.path} with ${seen.status}`
    case 'closed':
      return `closed by the ${seen.by} with ${seen.code}`
    case 'frame': {
      const arrow = seen.direction === 'sent' ? '->' : '<-'
      return `${arrow} ${seen.frame.padEnd(6)} ${String(seen.sizeBytes).padStart(7)} B  ${seen.message ?? '(unknown)'}`
    }
  }
}
