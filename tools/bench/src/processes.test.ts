import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

const MIB = 2 ** 20

function measureIn(code: string): number[] {
  const module = JSON.stringify(join(import.meta.dirname, 'processes.ts'))
  const program = `import { watchPeakMemory } from ${module}\n${code}`
  const words = ['--expose-gc', '--input-type=module', '--eval', program]
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(status).toBe(0)
  return JSON.parse(stdout) as number[]
}

describe('watchPeakMemory', () => {
  it('returns how far the memory rose, even if it has fallen again', () => {
    const [rise = 0] = measureIn(`
      const peak = watchPeakMemory()
      let bytes = Buffer.alloc(100 * ${MIB}, 1)
      bytes = undefined
      globalThis.gc()
      console.log(JSON.stringify([peak()]))`)
    expect(rise / MIB).toBeGreaterThan(95)
    expect(rise / MIB).toBeLessThan(150)
  })

  it.runIf(process.platform === 'linux')('ignores earlier peaks and those of the parent process', () => {
    // Large enough to be visible: on Linux a process starts with the peak of its parent.
    const parent = Buffer.alloc(400 * MIB, 1)
    const [rise = 0] = measureIn(`
      let bytes = Buffer.alloc(100 * ${MIB}, 1)
      bytes = undefined
      const peak = watchPeakMemory()
      console.log(JSON.stringify([peak()]))`)
    expect(parent[0]).toBe(1)
    expect(rise / MIB).toBeLessThan(20)
  })
})
