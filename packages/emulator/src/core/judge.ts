import { createRequire } from 'node:module'

import type { ErrorObject } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

import type { Mismatch } from './errors.ts'
import { isObject, type Json, type JsonObject } from './json.ts'

/**
 * Judges a value by the schema at a pointer (`#/a/b`, or `./other.yaml#/a/b`); without a pointer everything is
 * right. `place` is what the paths of mismatches begin with.
 */
export type Judge = (schemaPointer: string | undefined, value: unknown, place: string) => Mismatch[]

const BASE = 'https://contract.invalid/'

/** The formats that the contracts define themselves. */
const formats = createRequire(import.meta.url)('@concord/specs/formats.json') as Readonly<
  Record<string, { readonly pattern: string; readonly reason: string }>
>

/** Makes a judge of Ajv's 2020 dialect, with formats asserted. The documents are named as references name them. */
export function createJudge(documents: Readonly<Record<string, JsonObject>>): Judge {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true })
  addFormats.default(ajv)
  for (const [name, { pattern }] of Object.entries(formats)) ajv.addFormat(name, new RegExp(pattern, 'u'))
  for (const [file, document] of Object.entries(documents))
    ajv.addSchema({ ...openEnums(document), $id: addressOf(file) }, undefined, undefined, false)

  return (schemaPointer, value, place) => {
    if (schemaPointer === undefined) return []
    const [file = '', path = ''] = schemaPointer.split('#')
    const validate = ajv.getSchema(`${addressOf(file)}#${path}`)
    if (!validate) throw new Error(`The contract has no schema at ${schemaPointer}.`)
    if (validate(value)) return []
    return (validate.errors ?? []).map((error) => ({
      path: place + error.instancePath,
      reason: describe(error),
    }))
  }
}

function addressOf(file: string): string {
  return new URL(file === '' ? 'main.yaml' : file, BASE).href
}

/** Takes the value lists of open enums (`x-open-enum`) out: other values may come, and are no mismatch. */
function openEnums<T extends Json>(value: T): T {
  if (Array.isArray(value)) return value.map(openEnums) as T
  if (!isObject(value)) return value
  const entries = Object.entries(value).filter(([name]) => name !== 'enum' || value['x-open-enum'] !== true)
  return Object.fromEntries(entries.map(([name, child]) => [name, openEnums(child)])) as T
}

function describe(error: ErrorObject): string {
  if (error.keyword === 'const') return `must be ${JSON.stringify(error.params['allowedValue'])}`
  if (error.keyword === 'enum') return `must be one of ${JSON.stringify(error.params['allowedValues'])}`
  if (error.keyword === 'format') {
    const own = formats[String(error.params['format'])]
    if (own) return own.reason
  }
  if (error.keyword === 'not') return 'must not be this combination of values'
  return error.message ?? `breaks ${error.keyword}`
}
