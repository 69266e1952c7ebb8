import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { executablePath, missingChromium } from '@concord/contract-kit/chromium'
import { createEmulator, type Emulator } from '@concord/emulator'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { Flows } from '../src/page.ts'
import { servePage, type ServedPage } from '../src/serve-page.ts'

const base64 = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../examples/documents/${name}`, import.meta.url))).toString(
    'base64',
  )

/** The host's time, a hundred times as fast: what the emulator takes minutes for is over in a second. */
const fast = {
  now: () => Date.now() * 100,
  monotonic: () => performance.now() * 100,
  setTimer(callback: () => void, delayMs: number) {
    const timer = setTimeout(callback, delayMs / 100)
    return { cancel: () => clearTimeout(timer) }
  },
}

describe.skipIf(executablePath === undefined)(`in a real browser${missingChromium}`, () => {
  let browser: Browser
  let site: ServedPage
  let page: Page
  let emulator: Emulator
  let addresses: Awaited<ReturnType<Emulator['serve']>>
  const complaints: string[] = []

  beforeAll(async () => {
    emulator = await createEmulator({ clock: fast, cors: true })
    addresses = await emulator.serve()
    site = await servePage()
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] })
    page = await browser.newPage()
    page.on('pageerror', (error) => complaints.push(String(error)))
    await page.goto(site.url)
    await page.waitForFunction(() => 'flows' in globalThis)
  })

  afterAll(async () => {
    await browser?.close()
    await site?.[Symbol.asyncDispose]()
    await addresses?.close()
    await emulator?.close()
  })

  /** Runs a function of the page. */
  const run = <Name extends keyof Flows>(
    name: Name,
    options: Parameters<Flows[Name]>[0],
  ): Promise<Awaited<ReturnType<Flows[Name]>>> =>
    page.evaluate(
      ([flow, given]) =>
        (globalThis as unknown as { flows: Record<string, (options: unknown) => unknown> }).flows[flow]?.(
          given,
        ),
      [name, options] as const,
    ) as never

  it('loads neither schemas nor sockets nor uploads at first', () => {
    expect(site.loaded).toContain('page')
    expect(site.loaded.filter((name) => /schemas|channel|upload|download|device/.test(name))).toEqual([])
  })

  it('submits bytes to extraction and reads the result without loading schemas', async () => {
    const { text } = await run('extract', { ...addresses.extraction, document: base64('invoice.pdf') })
    expect(text).toContain('Invoice')
    expect(site.loaded.join()).toContain('upload')
    expect(site.loaded.join()).not.toContain('schemas')
  })

  it('loads the schemas to explain an invalid input', async () => {
    expect(await run('deny', addresses.extraction)).toMatch(
      /RequestInvalidError: .*\/path\/job_id: must be a UUID/,
    )
    expect(site.loaded.join()).toContain('schemas')
  })

  it('rejects a file path, because browsers have no file system', async () => {
    expect(await run('path', addresses.extraction)).toMatch(/this JavaScript environment has no file system/)
  })

  it('generates a video from a picture in memory, and says that a download needs files', async () => {
    const generated = await run('generate', { ...addresses.media, picture: base64('receipt.png') })
    expect(generated).toMatchObject({
      type: 'video/mp4',
      download: expect.stringContaining('no file system'),
    })
    expect(generated.sizeBytes).toBeGreaterThan(500)
    expect(generated.streamedBytes).toBe(generated.sizeBytes)
  })

  it('signs in to storage, and calls the service with the session', async () => {
    const { email } = addresses.storageAuth
    const path = '/v1/_emulator/whoami'
    expect(await run('signIn', { ...addresses.storageAuth, path })).toMatchObject({ email, status: 200 })
  })

  it('transcribes a stream, and says that a socket needs headers', async () => {
    const { transcript, progress, listen } = await run('transcribe', addresses.speech)
    expect(transcript).toBeTypeOf('object')
    expect(progress).toEqual([32_000])
    expect(listen).toContain("This platform's WebSocket can't send headers")
  })

  it('uploads a file in the page of an app that has its own user agent', async () => {
    const context = await browser.newContext({ userAgent: 'MyApp/2.0' })
    page = await context.newPage()
    await page.goto(site.url)
    await page.waitForFunction(() => 'flows' in globalThis)
    const { text } = await run('extract', { ...addresses.extraction, document: base64('invoice.pdf') })
    expect(text).toContain('Invoice')
    await context.close()
  })

  it('throws no other errors in the page', () => {
    expect(complaints).toEqual([])
  })
})
