import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

import { expect, it, onTestFinished, vi } from 'vitest'

import { startRegistry } from '../src/registry.ts'

it("proxies a registry whose certificate is in npm's cafile", async () => {
  const cafile = join(import.meta.dirname, '..', 'test-support', 'loopback.pem')
  const pem = readFileSync(cafile)
  const version = { name: 'lamp', version: '1.0.0', dist: { tarball: 'https://127.0.0.1/lamp-1.0.0.tgz' } }
  const lamp = { name: 'lamp', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } }
  const upstream = createServer({ cert: pem, key: pem }, (request, response) => {
    response.writeHead(request.url === '/lamp' ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(lamp))
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void upstream.close())
  vi.stubEnv('npm_config_registry', `https://127.0.0.1:${(upstream.address() as AddressInfo).port}/`)
  vi.stubEnv('npm_config_cafile', cafile)
  onTestFinished(() => void vi.unstubAllEnvs())

  const registry = await startRegistry({ proxied: true })
  onTestFinished(() => registry.close())
  const response = await fetch(`${registry.url}lamp`)
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ name: 'lamp', versions: { '1.0.0': { version: '1.0.0' } } })
})
