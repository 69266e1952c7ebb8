import { Pool } from 'undici'

import type { CallTarget } from '../subject.ts'

/** The base of all ratios: undici itself, with the pool settings that our transport uses, and nothing checked. */
export function connect({ baseUrl, jobId, apiKey, connections }: CallTarget): () => Promise<unknown> {
  const pool = new Pool(baseUrl, {
    connections,
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const path = `/v1/jobs/${jobId}`
  return async () => {
    const { statusCode, body } = await pool.request({
      method: 'GET',
      path,
      headers: { accept: 'application/json', 'x-api-key': apiKey },
    })
    if (statusCode !== 200) throw new Error(`the server answered ${statusCode}`)
    return body.json()
  }
}
