// Checks the published packages: entry points, types, public surface, size, and the modules that a first call loads.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

import { packAll } from '../packed/pack.ts'
import { limits } from './limits.ts'
import { bundleSize } from './sizes.ts'
import { startProblems } from './start.ts'
import { compareSurface, entryPoints } from './surface.ts'

const problems: string[] = []
const folder = mkdtempSync(join(tmpdir(), 'concord-published-'))

try {
  for (const { name, folder: packageFolder, tarball } of packAll(folder)) {
    const data = readFileSync(tarball)
    const { messages, pkg } = await publint({
      pack: { tarball: data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength) },
    })
    for (const message of messages) problems.push(`${name}: ${formatMessage(message, pkg, { color: false })}`)
    const points = entryPoints(packageFolder)
    if (points.length === 0) continue
    const types = await checkPackage(createPackageFromTarballData(new Uint8Array(data)))
    for (const problem of types.types ? types.problems : [])
      problems.push(`${name}: types: ${JSON.stringify(problem)}`)
    for (const point of points) {
      const problem = compareSurface(point, false)
      if (problem) problems.push(problem)
    }
  }
  problems.push(...startProblems())
  console.log('size, minified and compressed (brotli):')
  const kib = (bytes: number) => `${(bytes / 1024).toFixed(1)} KiB`
  for (const { what, code, limitBytes, targetBytes } of limits) {
    const { brotliBytes } = await bundleSize(code)
    console.log(
      `  ${what.padEnd(44)} ${kib(brotliBytes)} (limit ${kib(limitBytes)}, target ${kib(targetBytes)})`,
    )
    if (brotliBytes > limitBytes)
      problems.push(
        `${what}: ${brotliBytes} bytes, the limit is ${limitBytes} (tools/check/src/published/limits.ts)`,
      )
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

for (const problem of problems) console.error(problem)
console.log(`published: ${problems.length} problems`)
process.exit(problems.length === 0 ? 0 : 1)
