import { resolve } from 'node:path'
import { expect, inject, it } from 'vitest'

import { compileConsumer } from '@concord/validators-kit'

it('the code of a consumer type-checks, and its inferred types equal the generated ones', () => {
  const folder = resolve(import.meta.dirname, '..')
  const { output, zodFiles, otherZodFiles } = compileConsumer(folder, inject('zod'))
  expect(output).toBe('')
  expect(zodFiles.length).toBeGreaterThan(0)
  expect(otherZodFiles).toEqual([])
})
