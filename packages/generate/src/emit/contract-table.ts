import { isObject, type Json, type JsonObject } from '../read/json.ts'
import type { Source } from '../read/source.ts'

/** Marks the rows of the README of `specs/` that {@link withContracts} writes. */
const BEGIN = '<!-- generated from the contracts: begin -->'
const END = '<!-- end -->'

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace']

/** A README with a table of the contracts between its marks: each file, its title and what it has. Unchanged without marks. */
export function withContracts(readme: string, sources: readonly Source[]): string {
  const [before, after] = [readme.indexOf(BEGIN), readme.indexOf(END)]
  if (before < 0 || after < before) return readme
  const rows = sources.map(
    ({ file, value }) =>
      `| \`${file.replace(/^specs\//, '')}\` | ${String(objectAt(value, 'info')['title'])}: ${contentsOf(value)} |`,
  )
  return [
    readme.slice(0, before) + BEGIN,
    '',
    '| contract | contents |',
    '|---|---|',
    ...rows,
    '',
    readme.slice(after),
  ].join('\n')
}

function contentsOf(document: JsonObject): string {
  if ('asyncapi' in document) {
    const channels = Object.values(objectAt(document, 'channels'))
    const opened = channels.filter((channel) => isObject(channel) && typeof channel['address'] === 'string')
    return listOf([opened.length, 'channel'], [channels.length - opened.length, 'webhook'])
  }
  const operations = Object.values(objectAt(document, 'paths')).flatMap((item) =>
    Object.keys(isObject(item) ? item : {}).filter((key) => METHODS.includes(key)),
  )
  return listOf(
    [operations.length, 'operation'],
    [Object.keys(objectAt(document, 'webhooks')).length, 'webhook'],
  )
}

/** `12 operations, 1 webhook`; what there is none of is left out. */
function listOf(...counts: readonly (readonly [count: number, what: string])[]): string {
  return counts
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count} ${what}${count === 1 ? '' : 's'}`)
    .join(', ')
}

function objectAt(parent: JsonObject, key: string): JsonObject {
  const value: Json | undefined = parent[key]
  return isObject(value) ? value : {}
}
