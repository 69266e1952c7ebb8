import { join, resolve } from 'node:path'
import { brotliCompressSync } from 'node:zlib'

import { rolldown } from 'rolldown'
import { beforeAll, describe, expect, it } from 'vitest'

import { inFolder } from '../src/corpus/scratch.ts'
import { type GeneratedFiles, print } from '../src/generate.ts'
import type { ServiceModel } from '../src/normalize/model.ts'
import { parseSource } from '../src/read/source.ts'
import type { Service } from '../src/services.ts'
import { errorsIn } from './support/compiler.ts'
import { departuresOf, modelOf } from './support/generated.ts'
import { largeContract, largestContract } from './support/large-contract.ts'

const repository = resolve(import.meta.dirname, '../../..')
const service: Service = {
  name: 'harbors',
  openapi: 'openapi.json',
  apiName: 'HarborsApi',
  className: 'Harbors',
  validators: { folder: 'gen' },
  client: { folder: 'gen' },
  isolatedDeclarations: true,
}
const read = (document: object) => modelOf(parseSource(JSON.stringify(document), 'openapi.json'))

describe('a contract of 300 operations', () => {
  let model: ServiceModel
  let files: GeneratedFiles

  beforeAll(async () => {
    model = await read(largeContract())
    files = await print(model, service)
  })

  it('is generated with every place kept exactly', () => {
    expect(model.operations).toHaveLength(300)
    expect(departuresOf(model)).toEqual([])
    expect(model.fidelity.places).toBeGreaterThan(1_500)
  })

  it('compiles with the strictest options, types file by file included', async () => {
    const options = { isolatedDeclarations: true, declaration: true }
    expect(await errorsIn(files, { options })).toEqual([])
  })
})

it('leaves less than 16 KiB of an application that calls one of 1,000 operations', async () => {
  const model = await read(largestContract())
  expect(model.operations).toHaveLength(1_000)
  await expectSmall(await print(model, service))
})

/** Bundles an application that calls one operation, and expects a small bundle without the other operations. */
function expectSmall(files: GeneratedFiles): Promise<void> {
  const entry = `import { createClient } from '@concord/runtime'\nimport { replaceFerryPermit } from './gen/operations.gen.ts'\nconsole.log(createClient, replaceFerryPermit)`
  return inFolder(new Map([...files, ['entry.ts', entry]]), async (folder) => {
    const build = await rolldown({
      input: join(folder, 'entry.ts'),
      platform: 'browser',
      external: [/^zod/],
      resolve: {
        conditionNames: ['@concord/source', 'browser', 'import', 'default'],
        alias: {
          '@concord/runtime/internal': join(repository, 'packages/runtime/src/internal.ts'),
          '@concord/runtime': join(repository, 'packages/runtime/src/index.ts'),
        },
      },
    })
    const { output } = await build.generate({ format: 'esm', minify: true })
    await build.close()
    const chunks = output.filter((one) => one.type === 'chunk')
    const loaded = new Set<string>()
    const load = (name: string): void => {
      if (loaded.has(name)) return
      loaded.add(name)
      chunks.find(({ fileName }) => fileName === name)?.imports.forEach(load)
    }
    load(chunks.find(({ isEntry }) => isEntry)?.fileName ?? '')
    const code = chunks
      .filter(({ fileName }) => loaded.has(fileName))
      .map((chunk) => chunk.code)
      .join('\n')
    expect(code).toContain('/ferry-permits/{id}')
    expect(code).not.toContain('/boat-records')
    expect(brotliCompressSync(code).length).toBeLessThan(16 * 1024)
  })
}
