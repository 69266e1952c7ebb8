import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormatsModule from 'ajv-formats'

import { ownFormats } from '../../src/normalize/keywords.ts'
import { type Json, type JsonObject, isObject } from '../../src/read/json.ts'
import { decimalMultipleOf } from './differences.ts'

const addFormats = addFormatsModule as unknown as (ajv: Ajv2020) => void

/** Validates values independently of the generator: Ajv 2020 on the raw contract. */
export interface Oracle {
  /** Returns the reasons why the contract rejects a value, or undefined if it accepts the value. */
  judge(value: unknown): readonly ErrorObject[] | undefined
}

/** Makes oracles for schemas that may refer to the components of a document. */
export function oraclesOf(root: JsonObject): (raw: Json) => Oracle {
  const ajv = new Ajv2020({ strict: false, strictNumbers: true, allErrors: true })
  addFormats(ajv)
  for (const [name, { pattern }] of ownFormats) ajv.addFormat(name, new RegExp(pattern, 'u'))
  ajv.addKeyword({ keyword: decimalMultipleOf, type: 'number', validate: isDecimalMultiple })
  ajv.addSchema({ $id: 'contract:root', components: root['components'] ?? {} })
  return (raw) => {
    const validate: ValidateFunction = ajv.compile(absolute(raw) as object)
    return { judge: (value) => (validate(value) ? undefined : [...(validate.errors ?? [])]) }
  }
}

/** Shifts the decimal points of both numbers, in their text. */
function isDecimalMultiple(step: number, value: number): boolean {
  const places = String(step).replace(/^\d+\.?/, '').length
  const [whole, divisor] = [value, step].map((each) => Number(`${each}e${places}`))
  // A number with an exponent in its text is so small that it is only a multiple of itself.
  if (whole === undefined || Number.isNaN(whole)) return false
  return Number.isInteger(whole) && whole % (divisor ?? 1) === 0
}

/** Rewrites references for a schema outside of its document. */
function absolute(raw: Json): Json {
  if (Array.isArray(raw)) return raw.map(absolute)
  if (!isObject(raw)) return raw
  return Object.fromEntries(
    Object.entries(raw).map(([key, value]) => [
      key,
      key === '$ref' && typeof value === 'string' && value.startsWith('#')
        ? `contract:root${value}`
        : absolute(value),
    ]),
  )
}
