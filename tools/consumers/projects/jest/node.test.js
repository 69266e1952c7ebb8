const { join } = require('node:path')
const { createEmulator } = require('@concord/emulator')
const { Extraction } = require('@concord/extraction')
const { job } = require('@concord/extraction-validators')
const { memoryTransport, virtualClock } = require('@concord/runtime/testing')

const clients = require('../shared/clients.cjs')
const { use } = require('../shared/flow.cjs')

const receipt = join(__dirname, '../shared/receipt.png')

test.each(Object.keys(clients))('uses %s, over the network', async (name) => {
  const emulator = await createEmulator({
    extraction: { choices: { courseOf: () => ({ queuedMs: 1, processingMs: 1 }) } },
  })
  const served = await emulator.serve({ services: [name] })
  await use(clients, name, served[name], { file: receipt })
  await emulator.close()
})

test('reads a PDF, in memory and on a virtual clock', async () => {
  const clock = virtualClock()
  const emulator = await createEmulator({ clock })
  const { baseUrl, apiKey, fetch } = emulator.extraction
  const extraction = new Extraction({ baseUrl, apiKey, transport: memoryTransport(fetch), clock })
  const submitted = await extraction.submit({ file: join(__dirname, '../shared/invoice.pdf') })
  const done = await submitted.wait()
  expect(done.status).toBe('completed')
  expect(job.safeParse(JSON.parse(JSON.stringify(done))).success).toBe(true)
  await extraction.close()
  await emulator.close()
})
