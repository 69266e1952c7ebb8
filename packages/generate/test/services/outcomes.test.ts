import { join } from 'node:path'

import { expect, it } from 'vitest'

import { generateService, readmeOf } from '../../src/generate.ts'
import { services } from '../support/chosen.ts'

const repository = join(import.meta.dirname, '../../../..')

it.each(services.map((one) => [one.name, one] as const))(
  'the README of %s says which calls can have taken effect without an answer',
  async (_, one) => {
    const readme = (await generateService(one, repository)).get(readmeOf(one)) ?? ''
    expect(readme).toMatch(
      /may have\s+taken\s+effect\s+even[^]*a\s+5xx[^]*`ServerError`[^]*This\s+applies\s+to/,
    )
  },
)
