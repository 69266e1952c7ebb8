// The code of a team: the first example of the documentation, type-checked against the packed packages.
import { createServer } from 'node:http'

import * as contract from '@concord/contract'
import { createEmulator } from '@concord/emulator'
import {
  Extraction,
  getJob,
  JobFailedError,
  PageLimitError,
  webhookReceiver,
  type Job,
} from '@concord/extraction'
import { nodeWebhookListener } from '@concord/extraction/node'
import { job, type FieldEntry } from '@concord/extraction-validators'
import { createClient, type OperationDescriptor } from '@concord/runtime'
import { memoryTransport, virtualClock } from '@concord/runtime/testing'
import * as z from 'zod'

export async function firstExample(
  baseUrl: string,
  apiKey: string,
  schema: { type: 'object' },
): Promise<string> {
  const extraction = new Extraction({ baseUrl, apiKey })
  const submitted = await extraction.submit({ file: 'invoice.pdf', schema })
  const token: string = submitted.resumeToken()
  const done = await submitted.wait({
    deadline: '5m',
    onUpdate: ({ status, elapsedMs }) => console.log(token, status, elapsedMs),
  })
  for (const [name, field] of Object.entries(done.result.data ?? {})) {
    if (field.hil_flag) console.warn(name, field.value, field.reason)
  }
  const raw = await extraction.api.getJob({ path: { job_id: submitted.id } })
  const whole = await extraction.withResponse.getJob({ path: { job_id: submitted.id } })
  console.log(raw.status satisfies Job['status'], whole.status satisfies number, whole.headers.get('date'))
  return done.text()
}

export async function typedValues(extraction: Extraction): Promise<number> {
  const Invoice = z.object({ invoice_number: z.string(), total: z.number() })
  const done = await (await extraction.submit({ file: new Uint8Array(), schema: Invoice })).wait()
  const total: number | undefined = done.result.data?.total.value
  // @ts-expect-error: the schema has no such field
  void done.result.data?.nothing
  return total ?? 0
}

export async function mistakesDoNotCompile(extraction: Extraction): Promise<void> {
  // @ts-expect-error: schema and blueprint_id exclude each other
  await extraction.submit({ file: 'a.pdf', schema: {}, blueprint_id: '2f9f2a60-54f8-4c0b-9a55-7b0d2b8c6a11' })
  // @ts-expect-error: the path parameter is required
  await extraction.api.getJob({ path: {} })
  // @ts-expect-error: there is no such option
  new Extraction({ baseUrl: 'https://extraction.example', apikey: 'k' })
}

export function composed(value: unknown): FieldEntry | undefined {
  const Envelope = z.object({ job, jobs: z.array(job), either: z.union([job, z.string()]) })
  const parsed = Envelope.parse(value)
  return parsed.job.result?.data?.['total']
}

export function explain(error: unknown): string {
  if (PageLimitError.is(error)) return `${error.pageCount} pages, at most ${error.maxPages}`
  if (JobFailedError.is(error)) return error.reason
  return String(error)
}

export const descriptor: OperationDescriptor<{ path: { job_id: string } }, Job> = getJob
export const single = createClient({ servers: { baseUrl: 'https://extraction.example' } })
export const offline = async () => {
  const clock = virtualClock()
  const emulator = await createEmulator({ clock })
  return new Extraction({
    baseUrl: emulator.extraction.baseUrl,
    transport: memoryTransport(emulator.extraction.fetch),
    clock,
  })
}
export const listen = (extraction: Extraction) =>
  createServer(
    nodeWebhookListener(webhookReceiver(extraction, { onJob: (finished) => console.log(finished.id) })),
  )
export const contractTests: object = contract
