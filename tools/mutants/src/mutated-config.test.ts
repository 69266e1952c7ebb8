import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, it, onTestFinished, vi } from 'vitest'

import { WORK_FOLDER, workFolder } from './plan.ts'

it('uses a separate module cache for each run, because mutants of other runs have the same numbers', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mutants-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const { plan, sources } = workFolder(folder)
  writeFileSync(plan, '{"tests":{}}')
  writeFileSync(sources, '{}')
  vi.stubEnv(WORK_FOLDER, folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  const { default: config } = await import('../mutated.config.ts')
  expect(config.test?.fsModuleCachePath).toBe(join(folder, 'modules'))
})
