import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { parse } from 'yaml'

import { contractFiles, servicesIn } from './services.ts'

/** The page with the table of contracts. */
export const CONTRACT_LIST = 'specs/README.md'

type Node = Readonly<Record<string, unknown>>

/** The path of a contract file, relative to the root of the repository, and the file's content. */
interface ContractFile {
  readonly file: string
  readonly value: Node
}

/** Returns the page with an up-to-date table of the contracts. */
export function contractList(root: string): string {
  const contracts = servicesIn(root)
    .flatMap(contractFiles)
    .map((file) => ({ file, value: parse(readFileSync(join(root, file), 'utf8')) as Node }))
  return withContracts(readFileSync(join(root, CONTRACT_LIST), 'utf8'), contracts)
}

const BEGIN = '<!-- generated from the contracts: begin -->'
const END = '<!-- end -->'

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace']

/** Returns the README with a table of the contracts between the comments BEGIN and END. */
export function withContracts(readme: string, sources: readonly ContractFile[]): string {
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

function contentsOf(document: Node): string {
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

/** Joins the counts that aren't zero: `12 operations, 1 webhook`. */
function listOf(...counts: readonly (readonly [count: number, what: string])[]): string {
  return counts
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count} ${what}${count === 1 ? '' : 's'}`)
    .join(', ')
}

function objectAt(parent: Node, key: string): Node {
  const value = parent[key]
  return isObject(value) ? value : {}
}

function isObject(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
