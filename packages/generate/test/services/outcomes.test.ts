import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, it } from 'vitest'

import { services } from '../support/chosen.ts'

const repository = join(import.meta.dirname, '../../../..')

it.each(services.map((one) => [one.name, one] as const))(
  'the README of %s says which calls can have taken effect without a response',
  (_, one) => {
    const readme = readFileSync(join(repository, one.readme ?? ''), 'utf8')
    const [, section] = readme.split(/<!-- .*x-outcome: begin -->|<!-- end -->/)
    expect(section).toMatch(/operations[^]*(?:except|uncertain:)\s`\w+`[^]*`SubmissionUncertainError`/)
  },
)
