import { Extraction } from '@concord/extraction'

import type { CallTarget } from '../subject.ts'

/** Ours, as anyone would use it: requests and responses are checked against the contract. */
export function connect({ baseUrl, jobId, apiKey, connections }: CallTarget): () => Promise<unknown> {
  const { api } = new Extraction({ baseUrl, apiKey, connections })
  const path = { job_id: jobId }
  return () => api.getJob({ path })
}
