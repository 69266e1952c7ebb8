import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { parse } from 'yaml'

/** The contract that the measured clients are made from. */
export const contractPath = fileURLToPath(import.meta.resolve('@concord/specs/extraction/openapi.yaml'))

interface Contract {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

interface Operation {
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly examples: Examples }>> }>
  >
}

type Examples = Readonly<Record<string, { readonly value: unknown }>>

/** An example of a success from the contract, so that what is measured is what the contract describes. */
export function contractExample(method: string, path: string, name: string): Record<string, unknown> {
  const { paths } = parse(readFileSync(contractPath, 'utf8')) as Contract
  const example = paths[path]?.[method]?.responses['200']?.content['application/json']?.examples[name]
  if (example === undefined) throw new Error(`${contractPath} has no example ${name} at ${method} ${path}`)
  return example.value as Record<string, unknown>
}

/** A completed job with its fields. */
export const completedJob = () => contractExample('get', '/v1/jobs/{job_id}', 'completed')

/** What a submission answers. */
export const submission = () => contractExample('post', '/v1/process', 'accepted')

/** How many values a JSON value holds, arrays and objects not counted. */
export function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum: number, each) => sum + countValues(each), 0)
}
