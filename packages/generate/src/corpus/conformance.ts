import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { print } from '../generate.ts'
import type { ServiceModel } from '../normalize/model.ts'
import { schemaName } from '../normalize/names.ts'
import { readService } from '../normalize/service.ts'
import { type Json, isObject } from '../read/json.ts'
import { type Source, parseSource } from '../read/source.ts'
import { UsageError } from '../command/options.ts'
import { filesIn, runCommand } from './folder-command.ts'
import { loadQuick } from './quick.ts'
import { foreignService, inFolder } from './scratch.ts'

/** A schema of JSON-Schema-Test-Suite, with test values, each marked as valid or invalid. */
interface Group {
  readonly description: string
  readonly schema: Json
  readonly tests: readonly { readonly description: string; readonly data: Json; readonly valid: boolean }[]
}

/** The counts of one file of the suite. */
export interface Row {
  readonly keyword: string
  /** The number of groups whose schema is generated exactly. */
  readonly exact: number
  /** The number of groups whose schema is widened, which means that the generated schema accepts more values. */
  readonly widened: number
  /** In exact groups, the number of values that the zod schema and the quick check both judged correctly. */
  readonly right: number
  /** In exact groups, the number of values that the zod schema or the quick check judged incorrectly. */
  readonly wrong: number
  /** In widened groups, the number of valid values that the zod schema rejected. */
  readonly stricter: number
  /**
   * The number of valid values that were rejected because of a `format`. The suite treats formats as annotations;
   * this generator checks them on purpose.
   */
  readonly formats: number
  /** One line for each value that counts as `wrong` or `stricter`. */
  readonly mistakes: readonly string[]
}

/** The address at which the suite expects its remote schemas. */
const REMOTES = 'http://localhost:1234/'

/** Runs the required tests for draft 2020-12 from a checkout of JSON-Schema-Test-Suite. */
export async function conformance(folder: string): Promise<Row[]> {
  const remotes = remoteSchemas(folder)
  const rows: Row[] = []
  for (const file of filesIn(folder, 'tests/draft2020-12')) {
    // Files in subfolders are optional tests, which are left out.
    if (!/^[^/\\]+\.json$/.test(file)) continue
    const groups = JSON.parse(readFileSync(join(folder, 'tests/draft2020-12', file), 'utf8')) as Group[]
    rows.push(await judged(file.slice(0, -'.json'.length), groups, remotes))
  }
  return rows
}

/** The schemas that other schemas of the suite refer to by URL. */
function remoteSchemas(folder: string): Source[] {
  return filesIn(folder, 'remotes')
    .filter((file) => file.endsWith('.json') && !/^draft(?!2020-12)/.test(file))
    .map((file) => ({ file, text: readFileSync(join(folder, 'remotes', file), 'utf8') }))
    .filter(({ text }) => isObject(JSON.parse(text) as Json))
    .map(({ file, text }) => parseSource(text, `${REMOTES}${file}`))
}

type Judge = (value: Json) => { readonly zod: boolean; readonly quick: boolean }

async function judged(keyword: string, groups: readonly Group[], remotes: readonly Source[]): Promise<Row> {
  const others = groups.flatMap(({ schema }, index) =>
    isObject(schema) ? [parseSource(JSON.stringify(schema), fileOf(index))] : [],
  )
  const components = Object.fromEntries(
    groups.map(({ schema }, index) => [typeOf(index), isObject(schema) ? { $ref: fileOf(index) } : schema]),
  )
  const document = {
    openapi: '3.1.0',
    info: { title: keyword, version: '1' },
    paths: {},
    components: { schemas: components },
  }
  const source = parseSource(JSON.stringify(document), 'suite.json')
  const model = await readService(source, undefined, { strict: false, others: [...others, ...remotes] })
  const judges = await judgesOf(model)
  const counts = { exact: 0, widened: 0, right: 0, wrong: 0, stricter: 0, formats: 0 }
  const mistakes: string[] = []
  for (const [index, group] of groups.entries()) {
    const isExact = !isWidened(model, index)
    counts[isExact ? 'exact' : 'widened']++
    for (const { description, data, valid } of group.tests) {
      const { zod, quick } = judges(index)(data)
      const isRight = zod === valid && quick === valid
      const isFormat = valid && !zod && !quick && /"format":/.test(JSON.stringify(group.schema))
      if (isFormat) counts.formats++
      else if (isRight) counts.right += isExact ? 1 : 0
      else if (isExact || (valid && !zod)) {
        counts[isExact ? 'wrong' : 'stricter']++
        mistakes.push(
          `${keyword}: ${group.description}: ${description}: zod ${zod}, check ${quick}, suite ${valid}`,
        )
      }
    }
  }
  return { keyword, ...counts, mistakes }
}

/** Loads the zod schemas and the quick checks (which don't use zod) of a model. */
async function judgesOf(model: ServiceModel): Promise<(index: number) => Judge> {
  const files = await print(model, foreignService)
  const tests = await loadQuick(model.schemas, model.schemas.keys())
  return inFolder(files, async (folder) => {
    const schemas = (await import(join(folder, 'validators/schemas.gen.ts'))) as Readonly<
      Record<string, { safeParse(value: unknown): { readonly success: boolean } }>
    >
    return (index) => (value) => ({
      zod: schemas[schemaName(typeOf(index))]?.safeParse(value).success === true,
      quick: tests[typeOf(index)]?.(value) === true,
    })
  })
}

function isWidened({ departures }: ServiceModel, index: number): boolean {
  return departures.some(
    ({ effect, place: { file, pointer } }) =>
      effect === 'widened' &&
      (file === fileOf(index) ||
        file.startsWith(REMOTES) ||
        `${pointer}/`.startsWith(`#/components/schemas/${typeOf(index)}/`)),
  )
}

function fileOf(index: number): string {
  return `case${index}.json`
}

function typeOf(index: number): string {
  return `Case${index}`
}

const COLUMNS = ['exact', 'widened', 'right', 'wrong', 'stricter', 'formats'] as const

export function tableOf(rows: readonly Row[]): string {
  const sum = (column: (typeof COLUMNS)[number]) => rows.reduce((total, row) => total + row[column], 0)
  const all = [
    ...rows,
    { keyword: 'all', ...Object.fromEntries(COLUMNS.map((column) => [column, sum(column)])) } as Row,
  ]
  const line = (first: string, cells: readonly (string | number)[]) =>
    first.padEnd(28) + cells.map((cell) => String(cell).padStart(9)).join('')
  return [
    line('keyword', COLUMNS),
    ...all.map((row) =>
      line(
        row.keyword,
        COLUMNS.map((column) => row[column]),
      ),
    ),
    ...rows.flatMap(({ mistakes }) => mistakes),
  ].join('\n')
}

const USAGE = 'Usage: npm run conformance -- FOLDER\nFOLDER is a checkout of JSON-Schema-Test-Suite.'

async function main(): Promise<number> {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) throw new UsageError('The argument FOLDER is missing.')
  const rows = await conformance(folder)
  console.log(tableOf(rows))
  return rows.some(({ wrong, stricter }) => wrong + stricter > 0) ? 1 : 0
}

if (import.meta.main) process.exitCode = await runCommand(USAGE, main)
