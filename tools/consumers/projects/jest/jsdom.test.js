/** @jest-environment jest-fixed-jsdom */
const { readFileSync } = require('node:fs')
const { join } = require('node:path')
const { createEmulator } = require('@concord/emulator')
const { Extraction } = require('@concord/extraction')
const { memoryTransport } = require('@concord/runtime/testing')

test('uploads a File of jsdom to the emulator in memory', async () => {
  const emulator = await createEmulator({
    extraction: { choices: { courseOf: () => ({ queuedMs: 1, processingMs: 1 }) } },
  })
  const { baseUrl, apiKey, fetch } = emulator.extraction
  const extraction = new Extraction({
    baseUrl,
    apiKey,
    transport: memoryTransport(fetch),
    polling: { job: { firstDelayMs: 20, minDelayMs: 20 } },
  })
  const file = new File([readFileSync(join(__dirname, '../shared/receipt.png'))], 'receipt.png', {
    type: 'image/png',
  })
  const submitted = await extraction.submit({ file })
  const done = await submitted.wait()
  expect(done.status).toBe('completed')
  expect(await done.text()).not.toBe('')
  await extraction.close()
  await emulator.close()
})
