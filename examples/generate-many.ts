// Generates a batch of images, reports the outcome of each, and stays within the limit for concurrent tasks.
import { Media, type BatchRequest } from '@concord/media'

import { impatient, service } from './support/service.ts'

await using target = await service('media')
const { baseUrl, apiSecret } = target
await using media = new Media({ baseUrl, apiSecret, polling: impatient.media })
// The emulator makes one task fail, so that the report has a failure.
target.emulator?.media.control.scriptTasks({ outcome: 'fail', failure: 'ASSET.INVALID' })

const requests = ['a ferry', 'a pier', 'a gull', 'a net'].map((promptText): BatchRequest => ({
  operation: 'textToImage',
  request: { model: 'gen4_image', promptText, ratio: '1280:720' },
}))
const report = await media.batch(requests, {
  tier: 2,
  onOutcome(outcome) {
    // The service might have accepted an uncertain submission, so it is never sent again automatically.
    const details = outcome.outcome === 'succeeded' ? `task ${outcome.handle.id}` : String(outcome.error)
    console.log(`${outcome.index}: ${outcome.outcome}, ${details}`)
  },
})
console.log(`${report.succeeded} succeeded, ${report.failed} failed, ${report.uncertain} uncertain`)
console.log('estimated credits:', report.credits)
