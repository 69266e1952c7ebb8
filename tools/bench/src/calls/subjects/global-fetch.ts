import type { CallTarget } from '../subject.ts'

/** The fetch that every Node has. It opens as many connections as there are calls in flight. */
export function connect({ baseUrl, jobId, apiKey }: CallTarget): () => Promise<unknown> {
  const url = `${baseUrl}/v1/jobs/${jobId}`
  return async () => {
    const response = await fetch(url, { headers: { accept: 'application/json', 'x-api-key': apiKey } })
    if (!response.ok) throw new Error(`the server answered ${response.status}`)
    return response.json()
  }
}
