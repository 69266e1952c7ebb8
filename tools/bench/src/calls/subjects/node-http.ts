import { Agent, get } from 'node:http'

import type { CallTarget } from '../subject.ts'

/** Node's own client with connections that are kept. */
export function connect({ baseUrl, jobId, apiKey, connections }: CallTarget): () => Promise<unknown> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const { hostname, port } = new URL(baseUrl)
  const options = {
    agent,
    hostname,
    port,
    path: `/v1/jobs/${jobId}`,
    headers: { accept: 'application/json', 'x-api-key': apiKey },
  }
  return () =>
    new Promise((resolve, reject) => {
      const request = get(options, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          if (response.statusCode === 200) resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')))
          else reject(new Error(`the server answered ${response.statusCode}`))
        })
      })
      request.on('error', reject)
    })
}
