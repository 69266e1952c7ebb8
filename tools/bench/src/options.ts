import { parseArgs } from 'node:util'

/** What a run of the bench is asked to do. */
export interface BenchOptions {
  readonly rows: readonly string[]
  readonly quick: boolean
  readonly pin: boolean
  /** Where to write the figures as JSON. */
  readonly json: string | undefined
  readonly help: boolean
}

/**
 * Reads the words of the command line.
 *
 * @param known - The names of the rows that there are.
 * @throws RangeError for an unknown row; TypeError for an unknown option.
 */
export function parseOptions(words: readonly string[], known: readonly string[]): BenchOptions {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      pin: { type: 'boolean', default: false },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  for (const row of positionals) {
    if (!known.includes(row))
      throw new RangeError(`there is no row ${JSON.stringify(row)}; there are: ${known.join(', ')}`)
  }
  const { quick, pin, json, help } = values
  return { rows: positionals.length === 0 ? known : positionals, quick, pin, json, help }
}
