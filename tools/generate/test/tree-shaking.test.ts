import { join } from 'node:path'

import { rolldown } from 'rolldown'
import { beforeAll, describe, expect, it } from 'vitest'

import { type GeneratedFiles, generateService } from '../src/generate.ts'
import { inFolder, serviceNamed } from './support/generated.ts'

const repository = join(import.meta.dirname, '../../..')
const service = serviceNamed('extraction')

/** What a bundler makes of one import from the generated packages; zod stays outside. */
function bundle(files: GeneratedFiles, code: string, { validators } = service): Promise<string> {
  return inFolder(new Map([...files, ['entry.ts', code]]), async (folder) => {
    const build = await rolldown({
      input: join(folder, 'entry.ts'),
      external: [/^zod/],
      resolve: {
        alias: { [validators.packageName]: join(folder, validators.folder, 'index.gen.ts') },
      },
    })
    const { output } = await build.generate({ format: 'esm' })
    await build.close()
    return output[0].code
  })
}

describe('a bundler keeps of the generated files only what is used', () => {
  let files: GeneratedFiles

  beforeAll(async () => {
    files = await generateService(service, repository)
  })

  it('one schema brings along what it is made of, and nothing else', async () => {
    const code = await bundle(files, `export { metadata } from './${service.validators.folder}/index.gen.ts'`)
    const kept = [...code.matchAll(/^const (\w+) =/gm)].map(([, name]) => name)
    expect(kept.sort()).toEqual(['metadata', 'pipeline', 'stepTimings'])
    expect(code).toContain('isInteger')
    expect(code).not.toMatch(/isUri|isUuid|isBinaryInput/)
  })

  it('an import that uses nothing leaves nothing, not even zod', async () => {
    const code = await bundle(
      files,
      `import './${service.validators.folder}/schemas.gen.ts'\nimport './${service.client.folder}/api.gen.ts'`,
    )
    expect(code.replaceAll(/^\/\/.*$|^import "zod";$/gm, '').trim()).toBe('')
  })

  it('one operation brings along its own schemas only', async () => {
    const code = await bundle(
      files,
      `export { getOptimizationJob } from './${service.client.folder}/operations.gen.ts'`,
    )
    expect(code).toContain('/v1/blueprints/jobs/{job_id}')
    expect(code).toContain('optimizationJobStatus')
    expect(code).not.toMatch(/\/v1\/process|deviceToken|pageEntry|isBinaryInput/)
  })

  it('one channel brings along its own schemas only', async () => {
    const speech = serviceNamed('speech')
    const code = await bundle(
      await generateService(speech, repository),
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
