import { SERVICES, type ServiceName } from './services.ts'

export function showTable(
  services: readonly (readonly [ServiceName, object])[],
  hasControl: boolean,
): string {
  const rows = [
    ['Service', 'Base URL', 'Credentials'],
    ...services.flatMap(([name, served]) => rowsOf(name, served)),
  ]
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('   ')
      .trimEnd(),
  )
  const first = services.map(([, served]) => split(served).baseUrls[0]?.[1]).find(Boolean)
  const hint =
    hasControl && first
      ? `\nEach service has a control interface, for instance ${new URL(first).origin}/_control/state\n`
      : ''
  return `${lines.join('\n')}\n${hint}\nStop with Ctrl+C.\n`
}

function rowsOf(name: ServiceName, served: object): string[][] {
  const { baseUrls, credentials } = split(served)
  const label = (entries: [string, string][]) =>
    entries.length === 1
      ? entries.map(([, value]) => value)
      : entries.map(([key, value]) => `${key} ${value}`)
  const left = label(baseUrls)
  const right = label(credentials)
  return Array.from({ length: Math.max(left.length, right.length, 1) }, (_, index) => [
    index === 0 ? SERVICES[name].cliName : '',
    left[index] ?? '',
    right[index] ?? '',
  ])
}

function split(served: object): { baseUrls: [string, string][]; credentials: [string, string][] } {
  const entries = Object.entries(served).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  const isUrl = ([, value]: [string, string]) => /^https?:\/\//.test(value)
  return {
    baseUrls: entries.filter(isUrl),
    credentials: entries.filter((entry) => !isUrl(entry)),
  }
}
