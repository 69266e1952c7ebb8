import { join } from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import { inFolder } from '../src/corpus/scratch.ts'
import type { GeneratedFiles } from '../src/generate.ts'
import type { Service } from '../src/services.ts'
import { typeCheck } from './support/compiler.ts'
import { filesOf } from './support/services.ts'

/** A service with requests and sockets, all in one folder. */
const service: Service = {
  name: 'quotes',
  openapi: 'quotes/openapi.yaml',
  asyncapi: 'quotes/asyncapi.yaml',
  apiName: 'QuotesApi',
  validators: { folder: 'src/gen' },
  client: { folder: 'src/gen' },
  importExtension: '.js',
}

describe('a service in one package', () => {
  let files: GeneratedFiles

  beforeAll(async () => {
    files = await filesOf(service, join(import.meta.dirname, 'fixtures'))
  })

  it('has all files in one folder, which import nothing but each other, the runtime and zod', () => {
    const imported = [...files.values()].flatMap((text) =>
      [...text.matchAll(/^(?:import|export|\}) .*from '([^']+)'$|import\('([^']+)'\)/gm)].map(
        ([, name, later]) => name ?? later ?? '',
      ),
    )
    const others = new Set(imported.filter((name) => !files.has(`src/gen/${name.slice(2, -3)}.ts`)))
    expect([...others].sort()).toEqual(['@concord/runtime', '@concord/runtime/internal', 'zod'])
  })

  it('has an index of everything except the schemas, so that it does not load zod', () => {
    const index = files.get('src/gen/index.gen.ts') ?? ''
    for (const file of ['types', 'api', 'operations', 'channels', 'spec'])
      expect(index).toContain(`from './${file}.gen.js'`)
    expect(index).not.toContain('schemas.gen')
  })

  it('is accepted by a compiler that wants .js, and by tools that read types file by file, except for the schemas', () =>
    inFolder(files, (folder) => {
      const output = typeCheck(
        folder,
        ['src/gen/index.gen.ts', 'src/gen/schemas.gen.ts'],
        {},
        {
          allowImportingTsExtensions: false,
          rewriteRelativeImportExtensions: false,
          isolatedDeclarations: true,
        },
      )
      // The runtime is read from its source here, which is written for other options.
      const isInferred = (line: string) => /schemas\.gen\.ts\(.*TS90\d\d:/.test(line)
      const own = output.split('\n').filter((line) => line.includes('/src/gen/') && !isInferred(line))
      expect(own).toEqual([])
    }))
})
