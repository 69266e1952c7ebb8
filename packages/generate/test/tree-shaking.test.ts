import { join } from 'node:path'

import { type OutputChunk, rolldown } from 'rolldown'
import { beforeAll, describe, expect, it } from 'vitest'

import type { GeneratedFiles } from '../src/generate.ts'
import { filesOf } from './support/services.ts'
import { serviceNamed } from './support/generated.ts'
import { inFolder } from '../src/corpus/scratch.ts'

const repository = join(import.meta.dirname, '../../..')
const service = serviceNamed('extraction')

/** The code that a bundler loads at once for an import from the generated packages. */
async function bundle(files: GeneratedFiles, code: string, of = service): Promise<string> {
  return (await chunksOf(files, code, of))[0]?.code ?? ''
}

/** The output of a bundler for an import from the generated packages, the entry first; zod stays outside. */
function chunksOf(
  files: GeneratedFiles,
  code: string,
  { validators } = service,
): Promise<readonly OutputChunk[]> {
  return inFolder(new Map([...files, ['entry.ts', code]]), async (folder) => {
    const build = await rolldown({
      input: join(folder, 'entry.ts'),
      external: [/^zod/],
      resolve: {
        alias: { [validators.packageName ?? '']: join(folder, validators.folder, 'index.gen.ts') },
      },
    })
    const { output } = await build.generate({ format: 'esm' })
    await build.close()
    return output.filter((one) => one.type === 'chunk')
  })
}

describe('a bundler drops unused generated code:', () => {
  let files: GeneratedFiles

  beforeAll(async () => {
    files = await filesOf(service, repository)
  })

  it('one schema brings along what it is made of, and nothing else', async () => {
    const code = await bundle(files, `export { metadata } from './${service.validators.folder}/index.gen.ts'`)
    const kept = [...code.matchAll(/^const (\w+) =/gm)].map(([, name]) => name)
    expect(kept.sort()).toEqual(['metadata', 'pipeline', 'stepTimings'])
    expect(code).toContain('isInteger')
    expect(code).not.toMatch(/isUri|isUuid|isBinaryInput/)
  })

  it('an import that uses nothing leaves nothing, not even zod', async () => {
    for (const file of [
      `${service.validators.folder}/schemas.gen.ts`,
      `${service.client.folder}/api.gen.ts`,
    ]) {
      const code = await bundle(files, `import './${file}'`)
      expect(code.replaceAll(/^\/\/.*$|^import "zod";$/gm, '').trim()).toBe('')
    }
  })

  it('one operation brings along its own schemas only', async () => {
    const code = await bundle(
      files,
      `export { getOptimizationJob } from './${service.client.folder}/operations.gen.ts'`,
    )
    expect(code).toContain('/v1/blueprints/jobs/{job_id}')
    expect(code).toContain('acceptsOptimizationJobStatus')
    expect(code).not.toMatch(/\/v1\/process|deviceToken|pageEntry|isBinaryInput/i)
  })

  it('schemas, and zod, stay out of what is loaded at once', async () => {
    const chunks = await chunksOf(
      files,
      `export { getOptimizationJob } from './${service.client.folder}/operations.gen.ts'`,
    )
    expect(chunks.map(({ imports }) => imports.includes('zod'))).toEqual([false, true])
    expect(chunks[0]?.code).toContain('acceptsOptimizationJob')
    expect(chunks[1]?.code).toContain('optimizationJob')
  })

  it('one channel brings along its own schemas only', async () => {
    const speech = serviceNamed('speech')
    const code = await bundle(
      await filesOf(speech, repository),
      `export { conversation } from './${speech.client.folder}/channels.gen.ts'`,
      speech,
    )
    const kept = [...code.matchAll(/^const (\w+) =/gm)].map(([, name]) => name)
    expect(kept).toContain('configureSuccess')
    expect(kept).toContain('conversationQuery')
    expect(kept).not.toContain('keepAlive')
    expect(kept).not.toContain('liveTranscriptionQuery')
    expect(kept).not.toContain('conversationServerMessage')
  })
})
