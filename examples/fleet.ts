// Processes documents and generates images with four worker processes, one of which is killed every few seconds. The service's
// own count shows that nothing was lost or done twice. `--jobs 20000 --kills 500 --every 200` makes it a stress test.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

import { startDatabaseServer } from '@concord/database'
import { createEmulator } from '@concord/emulator'
import { Extraction } from '@concord/extraction'
import { Media } from '@concord/media'
import { createFleet, extractionService, folderSink, mediaService } from '@concord/postgres'

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '2000' },
    workers: { type: 'string', default: '4' },
    /** How many workers are killed; by default until the work is done. */
    kills: { type: 'string', default: 'Infinity' },
    /** Milliseconds between two kills. */
    every: { type: 'string', default: '3000' },
    worker: { type: 'boolean', default: false },
  },
})

/** The same in all processes: clients, what a fleet may do with them, and where results go. */
function openFleet() {
  const env = process.env as Record<string, string>
  const folder = fileURLToPath(new URL('./out/fleet', import.meta.url))
  const quick = { firstDelay: '500ms', minDelay: '500ms' } as const // Omit these in your own code.
  const extraction = new Extraction({
    baseUrl: env['EXTRACTION_BASE_URL']!,
    apiKey: env['EXTRACTION_API_KEY']!,
  })
  const media = new Media({ baseUrl: env['MEDIA_BASE_URL']!, apiSecret: env['MEDIA_API_SECRET']! })
  return createFleet({
    connectionString: env['DATABASE_URL']!,
    services: {
      documents: extractionService(extraction, { sink: folderSink(`${folder}/documents`), ...quick }),
      images: mediaService(media, { sink: folderSink(`${folder}/images`), ...quick }),
    },
  })
}

if (values.worker) {
  const stop = new AbortController()
  process.once('SIGTERM', () => stop.abort())
  await using fleet = openFleet()
  await fleet.work({ signal: stop.signal, concurrency: 8, term: '3s' })
  process.exit()
}

// The services, without the limits of an account.
const unlimited = { min: Infinity, max: Infinity }
/** The ids under which the service accepted each job, by its own count. */
const accepted = new Map<string, Set<string>>()
function count(job: string, id: string): void {
  const ids = accepted.get(job) ?? new Set()
  accepted.set(job, ids.add(id))
}
await using emulator = await createEmulator({
  extraction: {
    plan: {
      name: 'unlimited',
      pagesPerMonth: Infinity,
      maxFileMb: 50,
      pagesPerDocument: Infinity,
      requestsPerMinute: Infinity,
    },
    choices: {
      courseOf({ id, fileName }) {
        count(`documents/all/${/\d+/.exec(fileName)}`, id)
        return { queuedMs: 100, processingMs: 400 }
      },
    },
  },
  media: {
    tier: { name: 'unlimited', concurrency: unlimited, dailyGenerations: unlimited, monthlyCapUsd: Infinity },
    choices: {
      courseOf({ id, body }) {
        count(`images/all/${/\d+/.exec(String(body['promptText']))}`, id)
        return { pendingMs: 100, runningMs: 400 }
      },
    },
  },
})
emulator.media.control.setOrganization({ credits: 1_000_000 })
const served = await emulator.serve({ services: ['extraction', 'media'] })
await using database = await startDatabaseServer()
process.env['DATABASE_URL'] = await database.createDatabase()
process.env['EXTRACTION_BASE_URL'] = served.extraction.baseUrl
process.env['EXTRACTION_API_KEY'] = served.extraction.apiKey
process.env['MEDIA_BASE_URL'] = served.media.baseUrl
process.env['MEDIA_API_SECRET'] = served.media.apiSecret
await rm(new URL('./out/fleet', import.meta.url), { recursive: true, force: true })

await using fleet = openFleet()
const half = Math.ceil(Number(values.jobs) / 2)
const file = fileURLToPath(new URL('./documents/receipt.png', import.meta.url))
const numbers = Array.from({ length: half }, (_, index) => index)
const documents = numbers.map((index) => ({ file, filename: `receipt-${index}.png` }))
const images = numbers.map((index) => ({
  operation: 'textToImage' as const,
  request: {
    model: 'gen4_image_turbo' as const,
    promptText: `a boat, number ${index}`,
    ratio: '1280:720' as const,
  },
}))
await fleet.documents.enqueue(documents, { batch: 'all' })
await fleet.images.enqueue(images, { batch: 'all' })
console.log(`enqueued ${documents.length} documents and ${images.length} images`)

function startWorker(): ChildProcess {
  const script = [...process.execArgv, import.meta.filename, '--worker']
  return spawn(process.execPath, script, { stdio: ['ignore', 'inherit', 'inherit'] })
}

const startedAt = Date.now()
const processes = new Map<number, ChildProcess>()
let kills = 0
for (;;) {
  while (processes.size < Number(values.workers)) {
    const started = startWorker()
    processes.set(started.pid!, started)
  }
  await sleep(Math.min(Number(values.every), 3_000))
  const { batches, attention, workers } = await fleet.status()
  const open = batches.flatMap(({ phases: p }) => [p.queued, p.submitting, p.waiting, p.storing])
  if (open.every((count) => count === 0)) {
    const uncertain = attention.filter(({ phase }) => phase === 'uncertain')
    if (uncertain.length === 0) break
    // A person would look up at the service whether the request arrived.
    for (const { job } of uncertain) {
      const [id] = accepted.get(job) ?? []
      console.log(
        `${job} is uncertain; the service ${id === undefined ? "doesn't know it" : 'has accepted it'}`,
      )
      await fleet.resolve(job, id === undefined ? 'not-sent' : { acceptedAs: id })
    }
    continue
  }
  // One that is at work by now. The name of a worker ends with the id of its process.
  const victim = workers.map(({ name }) => Number(name.split(' ').at(-1))).find((pid) => processes.has(pid))
  if (victim === undefined || kills >= Number(values.kills)) continue
  processes.get(victim)!.kill('SIGKILL')
  processes.delete(victim)
  kills++
  const done = batches.map(({ service, phases }) => `${phases.done} ${service}`).join(' and ')
  console.log(
    `${Math.round((Date.now() - startedAt) / 1000)} s: killed process ${victim}; done so far: ${done}`,
  )
}
const seconds = (Date.now() - startedAt) / 1000
for (const worker of processes.values()) {
  worker.kill('SIGTERM')
  await once(worker, 'exit')
}

const { batches } = await fleet.status()
console.log(
  `\n${kills} kills in ${Math.round(seconds)} s, ${((2 * half) / seconds).toFixed(0)} jobs a second`,
)
console.table(
  batches.map(({ service, total, phases }) => {
    const counts = numbers.map((index) => accepted.get(`${service}/all/${index}`)?.size ?? 0)
    return {
      service,
      jobs: total,
      done: phases.done,
      'tasks at the service': counts.reduce((sum, count) => sum + count, 0),
      doubled: counts.filter((count) => count > 1).length,
      lost: total - phases.done,
    }
  }),
)
const isExact = [...accepted.values()].every((ids) => ids.size === 1) && accepted.size === 2 * half
process.exitCode = isExact && batches.every(({ total, phases }) => phases.done === total) ? 0 : 1
