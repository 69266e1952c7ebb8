import { parseArgs } from 'node:util'

interface BenchOptions {
  readonly rows: readonly string[]
  readonly quick: boolean
  readonly pin: boolean
  /** Where to write the figures as JSON. */
  readonly json: string | undefined
  readonly help: boolean
}

/**
 * @param known - The names of all rows.
 * @throws RangeError for an unknown row; TypeError for an unknown option.
 */
export function parseOptions(args: readonly string[], known: readonly string[]): BenchOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      pin: { type: 'boolean', default: false },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  for (const row of positionals) {
    if (!known.includes(row)) throw new RangeError(`Unknown row \`${row}\`. Valid rows: ${known.join(', ')}.`)
  }
  const { quick, pin, json, help } = values
  return { rows: positionals.length === 0 ? known : positionals, quick, pin, json, help }
}
