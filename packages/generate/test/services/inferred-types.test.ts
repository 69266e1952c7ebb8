import { join } from 'node:path'

import { expect, it } from 'vitest'

import { exportedNames } from '../../src/emit/hey-api.ts'
import { schemaName } from '../../src/normalize/names.ts'
import { services } from '../support/chosen.ts'
import { committedFiles } from '../support/committed.ts'
import { typeCheck } from '../support/compiler.ts'
import { bindings } from '../support/generated.ts'

const repository = join(import.meta.dirname, '../../../..')

/**
 * Types that say more than zod can infer: two properties that exclude each other. Such a type fits what is inferred,
 * not the other way round. So does an input or a query without any part, which is recognized by its text.
 */
const narrowerThanInferred = new Set(['ProcessDocumentRequest', 'ProcessDocumentInput'])
const withoutParts = / = Record<string, never>$/

const cases = services.flatMap((service) => bindings.map((zod) => ({ service, name: service.name, zod })))

it.each(cases)(
  'every type of $name is what $zod infers from its schema, also with exactOptionalPropertyTypes',
  async ({ service, zod }) => {
    const files = committedFiles(service)
    const { folder: validators } = service.validators
    // BinaryInput and BinaryContent have no schemas of their own.
    const text = files.get(`${validators}/types.gen.ts`) ?? ''
    const types = exportedNames(text).filter((type) => !type.startsWith('Binary'))
    const empty = text
      .split('\n')
      .filter((line) => withoutParts.test(line))
      .map((line) => line.split(' ')[2])
    const schemas = new Set(exportedNames(files.get(`${validators}/schemas.gen.ts`) ?? ''))
    const pairs = types.filter((type) => schemas.has(schemaName(type)))
    expect(pairs).toEqual(types)
    const statements = pairs.map((type) => {
      const inferred = `z.infer<typeof schemas.${schemaName(type)}>`
      const isNarrower = narrowerThanInferred.has(type) || empty.includes(type)
      const back = isNarrower ? 'rejects' : 'holds'
      return `holds<Fits<types.${type}, ${inferred}>>()\n${back}<Fits<${inferred}, types.${type}>>()`
    })
    const check = `
import * as z from 'zod'
import type * as types from './${validators}/types.gen.ts'
import type * as schemas from './${validators}/schemas.gen.ts'
type Fits<One, Other> = [One] extends [Other] ? true : false
declare function holds<_Statement extends true>(): void
declare function rejects<_Statement extends false>(): void
${statements.join('\n')}
`
    const [name = '', entry = ''] = zod.split('/')
    const zodTypes = join(repository, 'packages/generate/node_modules', name, entry, 'index.d.ts')
    expect(await typeCheck(files, check, { zod: zodTypes })).toBe('')
  },
)
