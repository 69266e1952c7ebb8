import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

import { expect, it } from 'vitest'

import { createClient } from '../http/client.ts'
import { createItem } from '../http/test-support/fixtures.ts'

it('sends methods that OpenAPI 3.2 added, with a body', async () => {
  const received: string[] = []
  const server = createServer(async (request, response) => {
    received.push(`${request.method} ${await text(request)}`)
    response.setHeader('content-type', 'application/json').end('{"id":"a","status":"new"}')
  }).listen(0)
  await once(server, 'listening')
  const client = createClient({
    servers: { api: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    credentials: { key: { in: 'header', name: 'X-API-Key', value: 'key' } },
  })
  for (const method of ['QUERY', 'COPY'])
    await client.send({ ...createItem, method }, { body: { name: 'x' } })
  expect(received).toEqual(['QUERY {"name":"x"}', 'COPY {"name":"x"}'])
  await client.close()
  server.close()
})
