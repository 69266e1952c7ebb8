import { type Departure, inOrder } from '../problems.ts'
import { type ServiceResult, percentKept, percentText } from '../run.ts'

interface FidelityReport {
  readonly services: readonly {
    readonly name: string
    readonly title: string
    /** The file or the URL of the contract. */
    readonly contract: string
    readonly operations: number
    readonly channels: number
    readonly fidelity: {
      /** The number of schemas, parameters, bodies and responses. */
      readonly places: number
      /** The number of places where the generated code accepts more values than the contract allows. */
      readonly widened: number
      /** The percentage of places that are kept exactly. */
      readonly percent: number
    }
    readonly departures: readonly Departure[]
  }[]
}

const EFFECTS: Readonly<Record<Departure['effect'], string>> = {
  widened: 'the generated code accepts every value that the contract allows, and more',
  noted:
    'nothing is lost, but the contract lacks something, contains something without effect, or probably has a mistake',
}

export function jsonReport(services: readonly ServiceResult[]): FidelityReport {
  return {
    services: services.map(({ name, title, contract, operations, channels, fidelity, departures }) => ({
      name,
      title,
      contract,
      operations,
      channels,
      fidelity: { ...fidelity, percent: Math.floor(percentKept(fidelity) * 100) / 100 },
      departures: inOrder(departures),
    })),
  }
}

/** The maximum number of rows per service in a terminal. */
const MAX_ROWS = 12

/** Groups departures into one row if their reasons are the same except for quoted names and values. */
export function terminalReport(services: readonly ServiceResult[]): readonly string[] {
  return services.flatMap(({ name, fidelity, departures }) => {
    if (departures.length === 0) return []
    const groups = [
      ...Map.groupBy(inOrder(departures), ({ effect, reason }) => `${effect} ${kindOf(reason)}`).values(),
    ].toSorted(
      ([first, ...many], [second, ...others]) => rank(first) - rank(second) || others.length - many.length,
    )
    const rows = groups.slice(0, MAX_ROWS).map((group) => row(group))
    const left = groups.length - rows.length
    return [
      `${name}: ${percentText(fidelity)} of ${fidelity.places} places are kept exactly`,
      ...rows,
      ...(left > 0 ? [`  ... and ${left} more rows; --report FILE.md writes the full report`] : []),
    ]
  })
}

function row(group: readonly Departure[]): string {
  const [
    { effect, reason, place } = { effect: 'noted', reason: '', place: { file: '', pointer: '' } } as const,
  ] = group
  const inside = place.line === undefined ? ` ${place.pointer}` : `:${place.line}`
  const at = `${place.file}${inside}`
  const more = group.length > 1 ? ` and ${group.length - 1} more` : ''
  return `  ${effect.padEnd(7)}  ${reason.replaceAll(/\s+/g, ' ')} (${at}${more})`
}

/** Removes the quoted names and values from a reason. */
function kindOf(reason: string): string {
  return reason.replaceAll(/`[^`]*`/g, '`')
}

function rank(departure: Departure | undefined): number {
  return departure?.effect === 'widened' ? 0 : 1
}

export function markdownReport(services: readonly ServiceResult[]): string {
  const total = services.map(
    ({ name, title, fidelity, departures }) =>
      `| ${cell(name)} | ${cell(title)} | ${percentText(fidelity)} | ${fidelity.places} | ${fidelity.widened} | ${count(departures, 'noted')} |`,
  )
  const details = services.flatMap(({ name, departures }) => {
    const rows = inOrder(departures).map(
      ({ place, effect, reason }) =>
        `| ${cell(place.file)}${place.line === undefined ? '' : `:${place.line}`} | ${code(place.pointer)} | ${effect} | ${cell(reason)} |`,
    )
    return rows.length === 0
      ? []
      : ['', `## ${name}`, '', '| place | pointer | effect | reason |', '|---|---|---|---|', ...rows]
  })
  return [
    '# Fidelity report',
    '',
    'For each contract, this report shows how many places the generated code keeps exactly. A place is a schema, a parameter, a body or a response.',
    '',
    ...Object.entries(EFFECTS).map(([effect, meaning]) => `- **${effect}**: ${meaning}.`),
    '',
    '| service | contract | kept exactly | places | widened | noted |',
    '|---|---|---|---|---|---|',
    ...total,
    ...details,
    '',
  ].join('\n')
}

function count(departures: readonly Departure[], effect: Departure['effect']): number {
  return departures.filter((departure) => departure.effect === effect).length
}

/** Escapes a string for a table cell, so that nothing from a contract can end the cell or become HTML. */
function cell(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll('|', String.raw`\|`)
    .replaceAll('<', '&lt;')
}

function code(text: string): string {
  return `\`${cell(text).replaceAll('`', "'")}\``
}
