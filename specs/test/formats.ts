import { readFileSync } from 'node:fs'

import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

import { fileOf } from './document.ts'

/** The formats that the contracts define themselves, by name. */
export const contractFormats: Readonly<
  Record<string, { readonly description: string; readonly reason: string; readonly pattern: string }>
> = JSON.parse(readFileSync(fileOf('formats.json'), 'utf8'))

/** An Ajv that asserts the standard formats and those of the contracts. */
export function contractAjv(): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateSchema: false })
  addFormats.default(ajv)
  for (const [name, { pattern }] of Object.entries(contractFormats))
    ajv.addFormat(name, new RegExp(pattern, 'u'))
  return ajv
}
