import type { WaitTarget } from '../../src/waits/subject.ts'

/** Polls once more after the job is complete. */
export function connect({ baseUrl, apiKey }: WaitTarget): (jobId: string) => Promise<unknown> {
  return async (jobId) => {
    const poll = async () => {
      const response = await fetch(`${baseUrl}/v1/jobs/${jobId}`, { headers: { 'x-api-key': apiKey } })
      return (await response.json()) as { status: string }
    }
    let job = await poll()
    while (job.status !== 'completed') job = await poll()
    await poll()
    return job
  }
}
