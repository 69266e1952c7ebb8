// The default transport of Node with a mock of undici.
import assert from 'node:assert/strict'

import { Extraction } from '@concord/extraction'
import { nodeTransport } from '@concord/runtime/node'
import { MockAgent } from 'undici'

const agent = new MockAgent()
agent.disableNetConnect()
const mocked = agent.get('https://extraction.example')
mocked
  .intercept({ path: '/v1/pipelines' })
  .reply(200, { pipelines: [] }, { headers: { 'content-type': 'application/json' } })

const extraction = new Extraction({
  baseUrl: 'https://extraction.example',
  apiKey: 'key',
  transport: nodeTransport({ dispatcher: agent }),
  onDrift: () => undefined,
})
assert.ok(await extraction.api.listPipelines())
const error = await extraction.api.listPipelines().catch((caught) => caught)
assert.equal(error.code, 'connection', String(error))
await extraction.close()
console.log('all good')
