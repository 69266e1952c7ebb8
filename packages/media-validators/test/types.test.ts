import { resolve } from 'node:path'
import { expect, inject, it } from 'vitest'

import { compileConsumer } from '@concord/validators-kit'

it('type-checks what a consumer writes, with the inferred types equal to the generated ones', () => {
  const folder = resolve(import.meta.dirname, '..')
  const { output, zodFiles, otherZodFiles } = compileConsumer(folder, inject('zod'))
  expect(output).toBe('')
  expect(zodFiles.length).toBeGreaterThan(0)
  expect(otherZodFiles).toEqual([])
})
