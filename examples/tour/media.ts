import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

import { log, note } from '@clack/prompts'
import { createEmulator, type Emulator } from '@concord/emulator'
import { file, Media, TaskFailedError, type CreditEstimate } from '@concord/media'

import { progress, table, type TourResult } from './screen.ts'

const image = fileURLToPath(new URL('../documents/receipt.png', import.meta.url))
/** Short delays for the tour. By default, a client polls every 5 s, as the service's own example does. */
const impatient = { firstDelayMs: 150, minDelayMs: 150, maxDelayMs: 150 }
const BURST = 3

/** Shows media generation with the emulator: a video, more tasks at once than the tier allows, and a failure. */
export async function mediaTour(output: string): Promise<TourResult> {
  await using emulator = await createEmulator({
    media: { tier: 1, choices: { courseOf: () => ({ pendingMs: 200, runningMs: 500 }) } },
  })
  const { baseUrl, apiSecret } = (await emulator.serve({ services: ['media'] })).media
  log.step(`Media generation, emulated at ${baseUrl}`)
  await using media = new Media({ baseUrl, apiSecret, polling: { task: impatient } })

  const file = await generate(media, output)
  const downloads = emulator.media.state.tasks.flatMap(({ outputs }) => outputs)
  const withSecret = sum(downloads.map(({ requestsWithCredentials }) => requestsWithCredentials))
  const throttled = await burst(media)
  const submitted = emulator.media.control
    .submissions()
    .filter(({ operationId }) => operationId === 'textToVideo')
  const arrived = sum(submitted.map(({ arrivals }) => arrivals))
  const failure = await fail(media, emulator)
  return {
    service: 'Media generation',
    done: [
      `a video from an image: ${file}; ${withSecret} download requests contained the secret`,
      `a burst of ${BURST} videos; ${throttled} were throttled for a while, and the emulator counted ${arrived} submissions`,
      `a failed task with its advice (${failure}), submitted again on request`,
    ],
  }
}

async function generate(media: Media, output: string): Promise<string> {
  const request = { model: 'gen4_turbo', promptText: 'the paper curls in the wind', duration: 5 } as const
  const shown = progress(`Submitting a video, estimated at ${credits(media.estimateCredits(request))}`)
  // The model requires an image. A local file within the size limit becomes a data URI.
  const task = await media.imageToVideo({ ...request, promptImage: file(image) })
  await task.wait({
    onUpdate: ({ status, elapsedMs }) => shown.update(`Video: ${status}, ${(elapsedMs / 1000).toFixed(1)} s`),
  })
  const [video] = await task.download({
    folder: output,
    nameOf: () => 'video',
    onProgress: ({ bytesReceived, totalBytes }) =>
      shown.update(`Video: ${bytesReceived} of ${totalBytes ?? 'unknown'} bytes downloaded`),
  })
  const path = relative(process.cwd(), video?.path ?? '')
  shown.done(`Video: ${task.status}, ${video?.sizeBytes} bytes of ${video?.contentType} in ${path}`)
  return path
}

async function burst(media: Media): Promise<number> {
  const shown = progress(`Submitting ${BURST} videos at once; tier 1 runs one at a time`)
  const tasks = await Promise.all(
    Array.from({ length: BURST }, (_, index) =>
      media.textToVideo({ model: 'gen4.5', promptText: `a paper boat, take ${index + 1}`, duration: 2 }),
    ),
  )
  const states = tasks.map(() => 'submitted')
  const history = tasks.map(() => new Set<string>())
  await Promise.all(
    tasks.map((task, index) =>
      task.wait({
        onUpdate({ status = '' }) {
          states[index] = status
          history[index]?.add(status)
          shown.update(`Burst: ${states.join(', ')}`)
        },
      }),
    ),
  )
  shown.done('Burst: all succeeded')
  const rows = tasks.map(({ throttledMs }, index) => [
    `take ${index + 1}`,
    `${(throttledMs / 1000).toFixed(1)} s`,
    [...(history[index] ?? [])].join(' > '),
  ])
  note(table(['task', 'throttled', 'states'], rows), 'Throttled time is reported separately')
  return tasks.filter(({ throttledMs }) => throttledMs > 0).length
}

async function fail(media: Media, emulator: Emulator): Promise<string> {
  emulator.media.control.scriptTasks({ outcome: 'fail', failure: 'INTERNAL.BAD_OUTPUT' })
  const task = await media.textToImage({ model: 'gen4_image', promptText: 'a ferry', ratio: '1920:1080' })
  const error = await task.wait().catch((caught: unknown) => caught)
  if (!TaskFailedError.is(error)) throw error
  log.warn(`${error.message} (advice: ${error.advice})`)
  // The client submits again only on request, since each submission costs credits.
  await task.wait({ regenerate: { maxTimes: 1 } })
  log.success(`Submitted again: ${task.status}, for ${credits(task.regenerationCredits)} more`)
  return error.advice
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)

function credits(estimate: CreditEstimate): string {
  if (estimate === 'unknown') return 'an unknown cost'
  const { min, max } = estimate
  return `${min === max ? min : `${min} to ${max}`} credits`
}
