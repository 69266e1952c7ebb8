// Playwright: the emulator responds to the requests that the page sends to its own origin.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'

import { createEmulator } from '@concord/emulator'
import { chromium } from 'playwright-core'

const emulator = await createEmulator({
  extraction: { choices: { courseOf: () => ({ queuedMs: 1, processingMs: 1 }) } },
})
const browser = await chromium.launch({ executablePath: process.argv[2], args: ['--no-sandbox'] })
const page = await browser.newPage()
const origin = 'https://app.example'
await page.route(`${origin}/`, (route) =>
  route.fulfill({ contentType: 'text/html', body: '<script type="module" src="/page.js"></script>' }),
)
await page.route(`${origin}/*.js`, (route) =>
  route.fulfill({ path: `out${new URL(route.request().url()).pathname}` }),
)
await page.route(`${origin}/api/**`, async (route) => {
  const request = route.request()
  const url = emulator.extraction.baseUrl + new URL(request.url()).pathname.slice('/api'.length)
  const response = await emulator.extraction.fetch(url, {
    method: request.method(),
    headers: { ...(await request.allHeaders()), 'x-api-key': emulator.extraction.apiKey },
    body: request.postDataBuffer(),
  })
  await route.fulfill({
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: Buffer.from(await response.arrayBuffer()),
  })
})
await page.goto(`${origin}/`)
await page.waitForFunction(() => 'extract' in globalThis)
const bytes = [...readFileSync('../shared/receipt.png')]
assert.equal(await page.evaluate((sent) => globalThis.extract(sent), bytes), 'completed')
await browser.close()
await emulator.close()
console.log('all good')
