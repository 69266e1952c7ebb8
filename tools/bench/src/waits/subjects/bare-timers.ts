import { setTimeout as delay } from 'node:timers/promises'

import { Pool } from 'undici'

import type { WaitTarget } from '../subject.ts'

/** The base of all ratios: a loop for each wait, with a timer of its own, over a pool of undici. */
export function connect(target: WaitTarget): (jobId: string) => Promise<unknown> {
  const { baseUrl, apiKey, connections, minDelayMs, maxDelayMs } = target
  const pool = new Pool(baseUrl, {
    connections,
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const headers = { accept: 'application/json', 'x-api-key': apiKey }
  return async (jobId) => {
    const path = `/v1/jobs/${jobId}`
    for (;;) {
      const { statusCode, body } = await pool.request({ method: 'GET', path, headers })
      if (statusCode !== 200) throw new Error(`the server answered ${statusCode}`)
      const job = (await body.json()) as { status: string }
      if (job.status === 'completed') return job
      await delay(minDelayMs + Math.random() * (maxDelayMs - minDelayMs))
    }
  }
}
