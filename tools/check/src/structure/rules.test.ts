import { describe, expect, it } from 'vitest'

import { checkFiles, checkServices } from './rules.ts'
import { parseSource } from './source-file.ts'

const violations = (path: string, text: string) =>
  checkFiles([parseSource(path, text)]).map((found) => found.message)

describe('the structure rules', () => {
  it.each([
    [
      'packages/emulator/src/core/app.ts',
      `import { createClient } from '@concord/runtime'`,
      /must not import/,
    ],
    [
      'packages/emulator/src/core/app.ts',
      `import type { Job } from '@concord/extraction-validators'`,
      /must not import/,
    ],
    [
      'packages/generate/src/read/contract.ts',
      `import { readSpec } from '@concord/spec-model'`,
      /must not import/,
    ],
    ['packages/spec-model/src/load.ts', `import { send } from '@concord/runtime'`, /must not import/],
    [
      'packages/contract/src/http/case.ts',
      `const m = await import('@concord/extraction')`,
      /must not import/,
    ],
    ['packages/extraction/src/client.ts', `import { Media } from '@concord/media'`, /must not import/],
    ['packages/postgres/src/jobs/fleet.ts', `import { Media } from '@concord/media'`, /must not import/],
    ['packages/extraction/src/client.ts', `import { readFile } from 'node:fs/promises'`, /must not import/],
    [
      'packages/extraction-validators/src/gen/x.gen.ts',
      `// generated\nimport { x } from '@concord/runtime'`,
      /must not import/,
    ],
    ['packages/runtime/src/http/pipeline.ts', `import { connect } from 'node:net'`, /must not import/],
    ['packages/runtime/src/socket/link.ts', `const { WebSocket } = await import('ws')`, /must not import/],
    [
      'packages/runtime/src/core/errors.ts',
      `import { send } from '../http/pipeline.ts'`,
      /may only import from core/,
    ],
    [
      'packages/runtime/src/index.ts',
      `export { TokenSession } from './session/token-session.ts'`,
      /has a separate subpath/,
    ],
    ['packages/runtime/src/session/gate.ts', `import { open } from 'node:fs/promises'`, /must not import/],
    [
      'packages/extraction/src/client.ts',
      `import { fileTokenStore } from '@concord/runtime/session/node'`,
      /must not import/,
    ],
    [
      'packages/runtime/src/poll/handle.ts',
      `import { x } from '../../../emulator/src/index.ts'`,
      /across packages/,
    ],
    [
      'packages/extraction/src/jobs.ts',
      `export { x } from '../../../packages/generate/src/x.ts'`,
      /across packages/,
    ],
    ['packages/runtime/src/index.ts', `export * from './core/errors.ts'`, /no `export \*`/],
    ['packages/runtime/src/http/sendRequest.ts', ``, /kebab-case/],
    ['packages/extraction/src/gen/written.ts', ``, /gen\/ may contain only generated/],
    ['packages/extraction/src/gen/a.gen.ts', `export const a = 1`, /must contain the word "generated"/],
    ['packages/runtime/src/poll/handle.ts', `// waits for a blueprint`, /mentions a service/],
    ['packages/runtime/src/poll/handle.ts', '\n'.repeat(600), /split it/],
    ['packages/runtime/src/poll/handle.test.ts', ['it', `only('x', () => {})`].join('.'), /excludes others/],
  ])('rejects %s with %j', (path, text, message) => {
    expect(violations(path, text)).toEqual([expect.stringMatching(message)])
  })

  it.each([
    [
      'packages/extraction/src/client.ts',
      `import { createClient } from '@concord/runtime'\nimport { a } from './gen/operations.gen.ts'`,
    ],
    ['packages/extraction/src/node.ts', `import { createServer } from 'node:http'`],
    ['packages/runtime/src/node/transport.ts', `import { Pool } from 'undici'`],
    ['packages/runtime/src/node/test-support/server.ts', `import { onTestFinished } from 'vitest'`],
    ['packages/runtime/src/session/node/process-lock.ts', `import { mkdir } from 'node:fs/promises'`],
    ['packages/storage-auth/src/client.ts', `import { TokenSession } from '@concord/runtime/session'`],
    ['packages/runtime/src/node/ws-socket.ts', `import { WebSocket } from 'ws'`],
    ['packages/extraction/contract/extraction.test.ts', `import { verify } from '@concord/contract'`],
    ['packages/contract/src/cli.ts', `import { createEmulator } from '@concord/emulator'`],
    ['packages/emulator/src/core/app.ts', `import { readSpec } from '@concord/spec-model'`],
  ])('allows the imports of %s', (path, text) => {
    expect(violations(path, text)).toEqual([])
  })

  it('reports services without a client or without a contract', () => {
    expect(checkServices(['media'], ['runtime', 'media'], ['media'])).toEqual([
      expect.objectContaining({ path: 'packages/media-validators' }),
    ])
    expect(checkServices([], ['speech', 'emulator'], [])).toEqual([
      expect.objectContaining({ path: 'specs/speech' }),
    ])
    expect(
      checkServices(['media'], ['media', 'media-validators', 'runtime', 'emulator', 'contract'], ['media']),
    ).toEqual([])
    expect(checkServices(['media'], ['media', 'media-validators'], [])).toEqual([
      expect.objectContaining({ path: 'packages/media/vitest.service.config.ts' }),
    ])
  })
})
