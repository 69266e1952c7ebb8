// The code of a team that uses the media client; type-checked against the packed packages.
import {
  Media,
  TaskFailedError,
  unlistedModel,
  type BatchCredits,
  type BatchJournal,
  type BatchRequest,
  type SucceededTask,
  type TaskHandle,
} from '@concord/media'
import { fileJournal } from '@concord/media/node'
import { task, textToVideoRequest, type Task, type TaskStatus } from '@concord/media-validators'
import * as z from 'zod'

export async function video(baseUrl: string, apiSecret: string, promptImage: Uint8Array): Promise<string[]> {
  await using media = new Media({ baseUrl, apiSecret })
  const handle: TaskHandle = await media.imageToVideo({ model: 'gen4_turbo', promptImage, duration: 5 })
  try {
    const done: SucceededTask = await handle.wait({
      deadline: '10m',
      onUpdate: ({ throttledMs, snapshot }) =>
        console.log(throttledMs, snapshot?.status satisfies TaskStatus | undefined),
    })
    console.log(done.output.length satisfies number)
  } catch (error) {
    if (TaskFailedError.is(error)) console.warn(error.category, error.advice, error.refundable)
    throw error
  }
  const files = await handle.download({
    folder: 'out',
    onProgress: ({ bytesReceived }) => console.log(bytesReceived),
  })
  return files.map(({ path }) => path)
}

export async function many(media: Media): Promise<BatchCredits> {
  const requests: BatchRequest[] = [
    { operation: 'textToImage', request: { model: 'gen4_image', promptText: 'a gull' } },
    {
      operation: 'textToVideo',
      request: { model: unlistedModel('a-model-of-tomorrow'), promptText: 'a gull' },
    },
  ]
  const journal: BatchJournal = fileJournal('batch.journal')
  const report = await media.batch(requests, { journal, store: { folder: 'out' } })
  for (const each of report.outcomes)
    if (each.outcome === 'unfinished') console.log(each.resumeToken satisfies string)
  return report.credits
}

export async function mistakesDoNotCompile(media: Media): Promise<void> {
  // @ts-expect-error: this model requires an image
  await media.imageToVideo({ model: 'gen4_turbo', promptText: 'rain' })
  // @ts-expect-error: and does not make videos from text alone
  await media.textToVideo({ model: 'gen4_turbo' })
  // @ts-expect-error: there is no such model
  await media.textToImage({ model: 'gen5_image' })
  // @ts-expect-error: there is no such field; further ones go into `fields`
  await media.textToVideo({ model: 'gen4.5', promtText: 'rain' })
  // @ts-expect-error: there is no such option
  new Media({ baseUrl: 'https://media.example', secret: 's' })
}

export function composed(value: unknown): Task['output'] {
  const Shelf = z.object({ newest: task, tasks: z.array(task), next: z.optional(textToVideoRequest) })
  return Shelf.parse(value).newest.output
}
