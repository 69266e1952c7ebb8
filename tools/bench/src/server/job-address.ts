import { completedJob } from '../contract.ts'
import type { Child } from '../process/child.ts'

/** What the servers of the bench accept as a key; it opens nothing else. */
export const API_KEY = 'bench-key'

/** Where a subject finds the job that it is to read. */
export interface JobAddress {
  readonly baseUrl: string
  readonly jobId: string
  readonly apiKey: string
}

/** Asks a server process where it listens. */
export async function jobAddress(server: Child): Promise<JobAddress> {
  const port = await server.ask<number>('port')
  return { baseUrl: `http://127.0.0.1:${port}`, jobId: String(completedJob()['id']), apiKey: API_KEY }
}
