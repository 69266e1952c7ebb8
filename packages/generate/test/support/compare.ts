import { isDeepStrictEqual } from 'node:util'

import * as fc from 'fast-check'
import type * as z from 'zod'

import { type Json, type JsonObject, asObject, isObject } from '../../src/read/json.ts'
import { relaxed } from './differences.ts'
import { mutated } from './mutate.ts'
import { oraclesOf } from './oracle.ts'
import { type Resolve, anyJson, valuesFor } from './values.ts'

/** A value on which a generated schema and the contract disagree. */
interface Disagreement {
  readonly value: Json
  readonly problem: string
}

/** The result of comparing a schema with the contract. */
export interface Comparison {
  readonly tried: number
  readonly accepted: number
  readonly disagreements: readonly Disagreement[]
}

const seed = 20260302

/** A value with the contract's verdict on it. */
export interface Case {
  readonly value: Json
  /** The reason why the contract rejects the value; undefined if it accepts it. */
  readonly reasons: string | undefined
}

/** Generates values for a schema of a contract, each with the contract's verdict. The values are the same in every run. */
export function casesOf(root: JsonObject): (raw: Json, count: number) => Case[] {
  const oracleOf = oraclesOf(relaxed(root))
  return (raw, count) => {
    const oracle = oracleOf(relaxed(raw))
    const values = samples(raw, resolverOf(root), count)
    return values
      .filter((value) => !hasHugeNumber(value) || !/"multipleOf"/.test(JSON.stringify(root)))
      .map((value) => ({
        value,
        reasons: oracle
          .judge(value)
          ?.map(({ instancePath, message }) => `${instancePath} ${message}`)
          .join('; '),
      }))
  }
}

/** Values that are left out if a contract has `multipleOf`; see the intended differences. */
function hasHugeNumber(value: Json): boolean {
  if (typeof value === 'number') return Math.abs(value) > 1e14
  return typeof value === 'object' && value !== null && Object.values(value).some(hasHugeNumber)
}

/** Half of the values mostly match. Most others are such values with a change, and a few are arbitrary. */
function samples(raw: Json, resolve: Resolve, count: number): Json[] {
  const fitting = valuesFor(raw, resolve)
  const values = fc.oneof(
    { weight: 10, arbitrary: fitting },
    { weight: 9, arbitrary: mutated(fitting) },
    { weight: 1, arbitrary: anyJson },
  )
  return fc.sample(values, { numRuns: count, seed })
}

/** Follows references to the components of a document. */
function resolverOf(root: JsonObject): Resolve {
  const components = root['components']
  const schemas = asObject(asObject(components)['schemas'])
  const resolve: Resolve = (raw) => {
    if (!isObject(raw) || typeof raw['$ref'] !== 'string') return raw
    return resolve(schemas[raw['$ref'].slice('#/components/schemas/'.length)] ?? false)
  }
  return resolve
}

/** Compares a generated schema with the contract's verdicts. */
export function compare(cases: readonly Case[], schema: z.ZodType): Comparison {
  const disagreements: Disagreement[] = []
  let accepted = 0
  for (const { value, reasons } of cases) {
    const outcome = schema.safeParse(value)
    if (outcome.success) accepted++
    if (outcome.success && reasons !== undefined) {
      disagreements.push({ value, problem: `accepted, but: ${reasons}` })
    } else if (!outcome.success && reasons === undefined) {
      const issues = outcome.error.issues.map(({ path, message }) => `/${path.join('/')} ${message}`)
      disagreements.push({ value, problem: `rejected: ${issues.join('; ')}` })
    } else if (outcome.success && !isDeepStrictEqual(outcome.data, value)) {
      disagreements.push({ value, problem: `changed into ${JSON.stringify(outcome.data)}` })
    }
  }
  return { tried: cases.length, accepted, disagreements }
}
