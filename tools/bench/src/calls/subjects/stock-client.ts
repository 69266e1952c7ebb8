import { loadStock } from '../../stock/stock-module.ts'
import type { CallTarget } from '../subject.ts'

/** The client that the generator makes by itself, with its validation of requests and responses on. */
export async function connect(target: CallTarget): Promise<() => Promise<unknown>> {
  const { createClient, getJob } = await loadStock(target.stockModule)
  const client = createClient({ baseUrl: target.baseUrl, auth: target.apiKey })
  const path = { job_id: target.jobId }
  return async () => (await getJob({ client, path, throwOnError: true })).data
}
