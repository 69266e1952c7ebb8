import { expect, it } from 'vitest'

import type { ServiceModel } from '../normalize/model.ts'
import { parseSource } from '../read/source.ts'
import { factsFile } from './facts-file.ts'

const of = (contract: object) =>
  factsFile({
    sources: [parseSource(JSON.stringify(contract), 'specs/a/openapi.yaml')],
  } as unknown as ServiceModel)

it('each fact of a contract becomes a constant with its description', () => {
  const text = of({
    'x-facts': { lockout: { description: 'Failed logins.', value: { count: 5, of: ['a'] } } },
  })
  expect(text).toContain('Failed logins.')
  expect(text).toContain('@see `specs/a/openapi.yaml#/x-facts/lockout`')
  expect(text).toContain("export const lockout = { count: 5, of: ['a'] } as const\n")
})

it('a contract without facts has no file of them', () => {
  expect(of({})).toBeUndefined()
})
