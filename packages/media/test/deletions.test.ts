import { describe, expect, it } from 'vitest'

import { json, rejection, scripted } from './support.ts'

const deletions = [
  ['avatar', (media: ReturnType<typeof scripted>['media']) => media.avatars.delete('a'), 'getAvatar'],
  ['document', (media: ReturnType<typeof scripted>['media']) => media.documents.delete('a'), 'getDocument'],
] as const

describe.each(deletions)('deleting an %s', (_what, remove, lookUp) => {
  it('R-21: a deletion succeeds if a 404 follows a response that left the outcome unknown', async () => {
    const { media, transport } = scripted([json({ error: 'gateway' }, 504), json({ error: 'unknown' }, 404)])
    await remove(media)
    expect(transport.requests).toHaveLength(2)
  })

  it('R-20: a deletion is not repeated after a lost response, and the error names the operation that shows the outcome', async () => {
    const { media, transport } = scripted(['lost'])
    const error = await rejection(remove(media))
    expect(error).toMatchObject({ code: 'submission-uncertain' })
    expect(String(error)).toContain(`call \`${lookUp}\`, which shows`)
    expect(transport.requests).toHaveLength(1)
  })

  it('a deletion fails with NotFoundError if there was nothing to delete', async () => {
    const { media } = scripted([json({ error: 'unknown' }, 404)])
    expect(await rejection(remove(media))).toMatchObject({ name: 'NotFoundError' })
  })
})

describe('canceling a task', () => {
  it('R-21: the error of a lost cancellation names the operation that shows whether it took effect', async () => {
    const { media } = scripted(['lost'])
    const error = await rejection(media.task('a').cancel())
    expect(String(error)).toContain('call `getTask`, which shows')
  })
})

describe('error messages', () => {
  it.each([
    [400, { error: 'duration must be 5 or 10' }, 'duration must be 5 or 10'],
    [402, { message: 'out of credits' }, 'out of credits'],
    [403, { detail: 'not on this tier' }, 'not on this tier'],
    [409, { title: 'Conflict', detail: 'already running' }, 'Conflict: already running'],
  ])("R-04: a %i repeats the service's own reason: %j", async (status, body, reason) => {
    const { media } = scripted([json(body, status)])
    const error = await rejection(media.organization())
    expect(error).toMatchObject({ status })
    expect(String(error)).toContain(`The service says: ${reason}`)
  })
})
