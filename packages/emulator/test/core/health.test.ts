import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import { expect, it } from 'vitest'
import { parse } from 'yaml'

import { HEALTH_PATH } from '../../src/own-paths.ts'
import { createEmulator } from '../../src/index.ts'

const specs = join(import.meta.dirname, '../../../../specs')

it('every port has a health check without a credential, faults or a record', async () => {
  await using emulator = await createEmulator()
  await using served = await emulator.serve()
  for (const address of [
    served.extraction.baseUrl,
    served.media.baseUrl,
    served.storageAuth.authUrl,
    served.speech.apiUrl,
  ]) {
    const response = await fetch(new URL(HEALTH_PATH, address))
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }])
    expect((await fetch(new URL(HEALTH_PATH, address), { method: 'HEAD' })).status).toBe(200)
    const posted = await fetch(new URL(HEALTH_PATH, address), { method: 'POST' })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  }
  expect(emulator.extraction.control.requests()).toEqual([])
})

it('no path in a contract collides with those of the emulator', () => {
  const files = readdirSync(specs, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('openapi.yaml') && !path.includes('node_modules'),
  )
  expect(files.length).toBeGreaterThan(3)
  for (const file of files) {
    const { paths } = parse(readFileSync(join(specs, file), 'utf8')) as { paths: object }
    expect(Object.keys(paths).filter((path) => path.startsWith('/_'))).toEqual([])
  }
})
