import type { JobAddress } from '../server/job-address.ts'

/** What a subject loads, and the shortest program that reads one job with it. */
export interface Program {
  readonly subject: string
  /** Loads it and does nothing. */
  readonly load: string
  /** Reads a job and ends with code 0 when it is complete. */
  readonly answer: string
}

/** Nothing but Node, which every other program is measured over. */
export const BARE = 'bare node'

/** The programs, for a server and for the stock client that was built. They are written as plain JavaScript files. */
export function programs({ baseUrl, jobId, apiKey }: JobAddress, stockModule: string): readonly Program[] {
  const url = JSON.stringify(`${baseUrl}/v1/jobs/${jobId}`)
  const [base, key, id, stock] = [baseUrl, apiKey, jobId, stockModule].map((text) => JSON.stringify(text))
  const headers = `{ headers: { accept: 'application/json', 'x-api-key': ${key} } }`
  const end = `process.exit(job.status === 'completed' ? 0 : 1)`
  return [
    { subject: BARE, load: '', answer: 'process.exit(0)' },
    {
      subject: 'raw undici',
      load: `import 'undici'`,
      answer: `import { request } from 'undici'
const { body } = await request(${url}, ${headers})
const job = await body.json()
${end}`,
    },
    {
      subject: 'node http',
      load: `import 'node:http'`,
      answer: `import { get } from 'node:http'
get(${url}, ${headers}, (response) => {
  let text = ''
  response.setEncoding('utf8')
  response.on('data', (chunk) => (text += chunk))
  response.on('end', () => {
    const job = JSON.parse(text)
    ${end}
  })
})`,
    },
    {
      subject: 'global fetch',
      load: 'void globalThis.fetch',
      answer: `const response = await fetch(${url}, ${headers})
const job = await response.json()
${end}`,
    },
    {
      subject: 'stock client',
      load: `import ${stock}`,
      answer: `import { createClient, getJob } from ${stock}
const client = createClient({ baseUrl: ${base}, auth: ${key} })
const { data: job } = await getJob({ client, path: { job_id: ${id} }, throwOnError: true })
${end}`,
    },
    {
      subject: 'concord',
      load: `import '@concord/extraction'`,
      answer: `import { Extraction } from '@concord/extraction'
const extraction = new Extraction({ baseUrl: ${base}, apiKey: ${key} })
const job = await extraction.api.getJob({ path: { job_id: ${id} } })
${end}`,
    },
  ]
}
