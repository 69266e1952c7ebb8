import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import { expect, it } from 'vitest'
import { parse } from 'yaml'

import { createEmulator } from '../../src/index.ts'
import { HEALTH_PATH } from '../../src/own-paths.ts'

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

it('the root of every port is a page with links to all services and their pages, without credentials', async () => {
  await using emulator = await createEmulator({ extraction: { basePath: '/tenant' } })
  await using served = await emulator.serve()
  const { origin } = new URL(served.media.baseUrl)
  const response = await fetch(`${origin}/`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  const page = await response.text()
  for (const address of [
    served.extraction.baseUrl,
    served.media.baseUrl,
    served.storageAuth.authUrl,
    served.storageAuth.dataUrl,
    served.speech.apiUrl,
    served.speech.agentUrl,
  ])
    expect(page).toContain(`<code>${address}</code>`)
  for (const secret of [
    served.extraction.apiKey,
    served.media.apiSecret,
    served.storageAuth.password,
    served.speech.apiKey,
  ])
    expect(page).not.toContain(secret)
  const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'))
  expect(links).toContain(`${served.extraction.baseUrl}/device`)
  expect(links).toHaveLength(2)
  for (const link of links) expect((await fetch(link)).status).toBe(200)
})

it('the start page is not served in process or on any other path', async () => {
  await using emulator = await createEmulator()
  await using served = await emulator.serve({ services: ['extraction'] })
  const { baseUrl } = served.extraction
  expect((await emulator.extraction.fetch(`${emulator.extraction.baseUrl}/`)).status).toBe(404)
  expect((await fetch(`${baseUrl}/nothing`)).status).toBe(404)
  expect((await fetch(`${baseUrl}/`, { method: 'POST' })).status).toBe(404)
})
