import { Extraction } from '@concord/extraction'

import type { CallTarget } from '../subject.ts'

/** Ours with the checking of answers off: what is left is the price of everything else. */
export function connect({ baseUrl, jobId, apiKey, connections }: CallTarget): () => Promise<unknown> {
  const { api } = new Extraction({ baseUrl, apiKey, connections, validate: 'off' })
  const path = { job_id: jobId }
  return () => api.getJob({ path })
}
