import { describe, expect, test } from 'vitest'

import { IMAGE, startMedia } from './support.ts'

describe('a task', () => {
  test('goes from PENDING over RUNNING to SUCCEEDED on the clock, and has output only then', async () => {
    await using media = await startMedia()
    const id = await media.submit()
    expect(await media.task(id)).toEqual({ id, status: 'PENDING' })
    await media.control.clock.advance(1_000)
    expect(await media.task(id)).toEqual({ id, status: 'RUNNING' })
    await media.control.clock.advance(2_999)
    expect(await media.task(id)).toEqual({ id, status: 'RUNNING' })
    await media.control.clock.advance(1)
    expect(await media.task(id)).toEqual({
      id,
      status: 'SUCCEEDED',
      output: [
        expect.stringMatching(/^http:\/\/media\.emulator\.invalid\/outputs\/.*\.png\?expires=\d+&signature=/),
      ],
    })
  })

  test('that exceeds the concurrency is THROTTLED, accepted all the same, and goes on by itself in its order', async () => {
    await using media = await startMedia({ choices: { concurrency: () => 2 } })
    const ids: string[] = []
    for (let index = 0; index < 4; index++) ids.push(await media.submit({ ...IMAGE, promptText: `${index}` }))
    const statuses = async () => Promise.all(ids.map(async (id) => (await media.task(id)).status))
    expect(await statuses()).toEqual(['PENDING', 'PENDING', 'THROTTLED', 'THROTTLED'])
    await media.control.clock.advance(4_000)
    expect(await statuses()).toEqual(['SUCCEEDED', 'SUCCEEDED', 'PENDING', 'PENDING'])
    await media.control.clock.advance(4_000)
    expect(await statuses()).toEqual(['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED'])
    expect(media.state.tasks.map(({ throttledMs }) => throttledMs)).toEqual([0, 0, 4_000, 4_000])
  })
})
