import { join } from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import type { GeneratedFiles } from '../src/generate.ts'
import type { Service } from '../src/services.ts'
import { errorsIn } from './support/compiler.ts'
import { filesOf } from './support/services.ts'

/** A service with requests and sockets, all in one folder. */
const service: Service = {
  name: 'parcels',
  openapi: 'parcels/openapi.yaml',
  asyncapi: 'parcels/asyncapi.yaml',
  apiName: 'ParcelsApi',
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

  it('is accepted by a compiler that wants .js, and by tools that read types file by file, except for the schemas', async () => {
    const errors = await errorsIn(files, {
      entries: ['src/gen/index.gen.ts', 'src/gen/schemas.gen.ts'],
      options: {
        allowImportingTsExtensions: false,
        rewriteRelativeImportExtensions: false,
        isolatedDeclarations: true,
      },
    })
    const own = errors.filter((line) => line.includes('/src/gen/'))
    expect(own.filter((line) => !/schemas\.gen\.ts\(.*TS90\d\d:/.test(line))).toEqual([])
  })
})
