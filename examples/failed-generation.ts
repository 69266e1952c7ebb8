// Shows why a generation failed, and submits it again if that can help.
import { Media, TaskFailedError } from '@concord/media'

import { impatient, service } from './support/service.ts'

await using target = await service('media')
const { baseUrl, apiSecret } = target
await using media = new Media({ baseUrl, apiSecret, polling: impatient.media })
target.emulator?.media.control.scriptTasks({ outcome: 'fail', failure: 'INTERNAL.BAD_OUTPUT' })

const task = await media.textToVideo({ model: 'gen4.5', promptText: 'a paper boat in rain', duration: 5 })
try {
  await task.wait()
} catch (error) {
  if (!TaskFailedError.is(error)) throw error
  console.log(`${error.reason}: ${error.category}; advice: ${error.advice}`)
  if (error.advice === 'retry') {
    // Each submission costs credits, so the client never submits again on its own.
    await task.wait({ regenerate: { maxTimes: 2 } })
    console.log(
      `${task.status} after ${task.regenerations.length} more submission, for`,
      task.regenerationCredits,
    )
  }
}
