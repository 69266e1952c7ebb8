import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

import { log, note } from '@clack/prompts'
import { createEmulator } from '@concord/emulator'
import { Extraction, webhookReceiver, type CompletedJob, type JobHandle } from '@concord/extraction'

import { excerpt, progress, table, type TourResult } from './screen.ts'
import { webhookServer } from './webhook-server.ts'

const documents = new URL('../documents/', import.meta.url)
const path = (name: string) => fileURLToPath(new URL(name, documents))
/** Short delays for the tour. By default, a client polls as the service recommends: after 5 s, then every 5-10 s. */
const impatient = { firstDelayMs: 400, minDelayMs: 400, maxDelayMs: 800 }
const webhook_url = 'https://hooks.example/extraction'

/** Shows the document extraction service with the emulator, from the first key to an optimized schema. */
export async function extractionTour(output: string): Promise<TourResult> {
  await using hooks = await webhookServer()
  await using emulator = await createEmulator({
    extraction: {
      pollIntervalSeconds: 1,
      webhookFetch: hooks.deliver,
      choices: {
        optimization: { pendingMs: 400, initializingMs: 400, iterationMs: 400 },
        courseOf: () => ({ queuedMs: 600, processingMs: 1_400 }),
      },
    },
  })
  const { baseUrl } = (await emulator.serve({ services: ['extraction'] })).extraction
  log.step(`Document extraction, emulated at ${baseUrl}`)

  const apiKey = await obtainKey(baseUrl, (userCode) => emulator.extraction.control.approveDevice(userCode))
  await using extraction = new Extraction({
    baseUrl,
    apiKey,
    polling: { job: impatient, optimization: impatient },
  })

  const expected = new Set<string>()
  const { promise: notified, resolve: notify } = Promise.withResolvers<string>()
  hooks.receive(
    webhookReceiver(extraction, {
      expecting: (jobId) => expected.has(jobId),
      onJob: (job) =>
        notify(
          `webhook for job ${job.id.slice(0, 8)} arrived; the job, fetched with the key, is ${job.status}`,
        ),
    }),
  )

  const schema = JSON.parse(await readFile(path('invoice.schema.json'), 'utf8')) as Record<string, unknown>
  const invoice = await extraction.submit({
    file: path('invoice.pdf'),
    schema,
    include_images: true,
    webhook_url,
  })
  expected.add(invoice.id)
  const receipt = await extraction.submit({ file: path('receipt.png') })

  const [read] = await Promise.all([watch('invoice.pdf', invoice), receipt.wait()])
  const readReceipt = await receipt.wait()
  showFields(read)
  const text = await read.text()
  log.message(
    `Text of ${read.metadata?.page_count} pages, from the PDF's own text layer:\n"${excerpt(text, 100)}"\nText of receipt.png: "${excerpt(await readReceipt.text(), 80)}"`,
  )

  const shown = await keepPreview(extraction, read, output)
  log.success(await notified)
  const target = await optimize(extraction)

  return {
    service: 'Document extraction',
    done: [
      'an API key from the device flow; the key was never shown',
      `${Object.keys(read.result.data ?? {}).length} fields of a PDF, ${flagged(read).length} of them flagged for review`,
      `a webhook, confirmed by fetching the job`,
      `a preview with page images: ${shown}`,
      `an optimized schema, whose accuracy rose ${target}`,
    ],
  }
}

async function obtainKey(baseUrl: string, approve: (userCode: string) => void): Promise<string> {
  await using extraction = new Extraction({ baseUrl })
  const shown = progress('Requesting a device code')
  let kept = ''
  const { keyPrefix } = await extraction.authorizeDevice({
    agentName: 'Concord tour',
    onPrompt({ verification_uri_complete, user_code }) {
      shown.update(
        `A person would now open ${verification_uri_complete} and compare the code ${user_code}; the tour approves the request automatically`,
      )
      approve(user_code)
    },
    save: (key) => void (kept = key),
  })
  shown.done(`Got an API key (${keyPrefix}...)`)
  return kept
}

async function watch(name: string, job: JobHandle): Promise<CompletedJob> {
  const shown = progress(`${name} submitted as job ${job.id.slice(0, 8)}`)
  const done = await job.wait({
    onUpdate: ({ status, elapsedMs, polls }) =>
      shown.update(
        `${name}: ${status}, ${(elapsedMs / 1000).toFixed(1)} s, ${polls} ${polls === 1 ? 'poll' : 'polls'}`,
      ),
  })
  shown.done(`${name}: ${done.status}, pipeline ${done.metadata?.pipeline}`)
  return done
}

const flagged = ({ result }: CompletedJob) =>
  Object.values(result.data ?? {}).filter((field) => field.hil_flag)

function showFields({ result }: CompletedJob): void {
  const entries = Object.entries(result.data ?? {})
  const rows = entries.map(([name, { value, found_on_page, hil_flag }]) => [
    name,
    String(found_on_page ?? ''),
    hil_flag ? 'check' : '',
    excerpt(typeof value === 'string' ? value : JSON.stringify(value), 36),
  ])
  note(table(['field', 'page', 'review', 'value'], rows), 'Fields')
  for (const [name, { hil_flag, reason }] of entries) if (hil_flag) log.warn(`Check ${name}: ${reason}`)
}

async function keepPreview(extraction: Extraction, done: CompletedJob, output: string): Promise<string> {
  // The emulator's preview_url ends with the token. The service's documentation doesn't say how to get the token.
  const preview = await extraction.preview(done.preview_url?.split('/').at(-1) ?? '')
  const image = await preview.image(1)
  await mkdir(output, { recursive: true })
  const file = `${output}/page-1.png`
  await writeFile(file, new Uint8Array(await image.arrayBuffer()))
  log.message(
    `Preview of ${preview.file_name}: ${preview.pages?.length} pages, ${preview.metadata?.review_percentage} % marked for review`,
  )
  return relative(process.cwd(), file)
}

async function optimize(extraction: Extraction): Promise<string> {
  const shown = progress('Starting an optimization')
  const run = await extraction.optimize({
    name: 'Invoices',
    training_documents: ['first-invoice', 'second-invoice'],
    ground_truth_data: [
      { invoice_number: 'INV-1', total: 10.5 },
      { invoice_number: 'INV-2', total: 20.25 },
    ],
    target_accuracy: 90,
  })
  const done = await run.wait({
    onUpdate: ({ snapshot }) =>
      shown.update(
        `Optimization: ${snapshot?.status}, ${snapshot?.current_accuracy} % after ${snapshot?.iteration} iterations`,
      ),
  })
  const schema = (await done.schema()) as { properties?: object }
  const fields = Object.keys(schema.properties ?? {}).join(' and ')
  shown.done(
    `Optimization: ${done.status} at ${done.current_accuracy} % (the emulator's own figures), with the fields ${fields}`,
  )
  return `from ${done.baseline_accuracy} % to ${done.current_accuracy} % in the emulator`
}
