// Calls a single operation through its descriptor, so that a bundler leaves out all other operations.
import { getJob } from '@concord/extraction'
import { createClient } from '@concord/runtime'

import { service } from './support/service.ts'

await using target = await service('extraction')
const client = createClient({
  servers: { baseUrl: target.baseUrl },
  credentials: { apiKey: { in: 'header', name: 'X-API-Key', value: target.apiKey } },
})
const result = await client
  .send(getJob, { path: { job_id: '7d4c1f0e-9f6b-4c56-8a35-1f5f0f1c2b3a' } })
  .catch((error: Error) => error.message)
console.log(result)
await client.close()
