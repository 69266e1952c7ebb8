import { expect, it } from 'vitest'

import { defaultMediaChoices } from '../../src/index.ts'
import { IMAGE, startMedia, type TestMedia } from '../support/media.ts'

async function submitMany(media: TestMedia, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < count; index++)
    ids.push(await media.submit({ ...IMAGE, promptText: `lighthouse ${index}` }))
  return ids
}

const statuses = (media: TestMedia) => media.state.tasks.map(({ status }) => status)

it('a task moves from PENDING to RUNNING to SUCCEEDED on the clock, and only then has output', async () => {
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

it('a task is in the state with its times, cost and request', async () => {
  await using media = await startMedia()
  const createdAt = media.control.clock.now()
  const id = await media.submit()
  await media.control.clock.advance(10_000)
  expect(media.state.tasks).toMatchObject([
    {
      id,
      organization: 'organization',
      operationId: 'textToImage',
      model: IMAGE.model,
      status: 'SUCCEEDED',
      credits: 2,
      charged: true,
      createdAt,
      startedAt: createdAt + 1_000,
      endedAt: createdAt + 4_000,
      throttledMs: 0,
      outputs: [{ requests: 0 }],
    },
  ])
})

it('a task is accepted but THROTTLED if it exceeds the concurrency, and continues automatically in order', async () => {
  await using media = await startMedia({ choices: { tierLimits: () => ({ concurrency: 2 }) } })
  await submitMany(media, 5)
  expect(statuses(media)).toEqual(['PENDING', 'PENDING', 'THROTTLED', 'THROTTLED', 'THROTTLED'])
  await media.control.clock.advance(4_000)
  expect(statuses(media)).toEqual(['SUCCEEDED', 'SUCCEEDED', 'PENDING', 'PENDING', 'THROTTLED'])
  expect(media.state.tasks.map(({ throttledMs }) => throttledMs)).toEqual([0, 0, 4_000, 4_000, 4_000])
  await media.control.clock.advance(8_000)
  expect(statuses(media)).toEqual(Array(5).fill('SUCCEEDED'))
  expect(media.state.tasks.map(({ throttledMs }) => throttledMs)).toEqual([0, 0, 4_000, 4_000, 8_000])
  expect(media.control.requests().every(({ status }) => status === 200)).toBe(true)
})

it('a task starts when the tier is raised if it was throttled', async () => {
  await using media = await startMedia()
  await submitMany(media, 3)
  expect(statuses(media)).toEqual(['PENDING', 'THROTTLED', 'THROTTLED'])
  media.control.setOrganization({ tier: 2 })
  expect(statuses(media)).toEqual(['PENDING', 'PENDING', 'PENDING'])
})

it('`countTask` decides which tasks share the concurrency, and when a task counts', async () => {
  await using perModel = await startMedia({
    choices: { countTask: ({ model, status }) => ({ group: model, takesPlace: status === 'PENDING' }) },
  })
  await submitMany(perModel, 2)
  await perModel.submit({ ...IMAGE, model: 'gen4_image' })
  expect(statuses(perModel)).toEqual(['PENDING', 'THROTTLED', 'PENDING'])
  await using running = await startMedia({
    choices: {
      countTask: ({ status }) => ({ takesPlace: status === 'RUNNING' }),
    },
  })
  await submitMany(running, 2)
  expect(statuses(running)).toEqual(['PENDING', 'PENDING'])
})

it('`taskMoves` can make tasks start as RUNNING, also from THROTTLED', async () => {
  await using media = await startMedia({
    choices: { taskMoves: { first: 'RUNNING', afterThrottled: 'RUNNING' } },
  })
  await submitMany(media, 2)
  expect(statuses(media)).toEqual(['RUNNING', 'THROTTLED'])
  await media.control.clock.advance(3_000)
  expect(statuses(media)).toEqual(['SUCCEEDED', 'RUNNING'])
})

it('a task only makes documented or chosen transitions', async () => {
  const { further } = defaultMediaChoices.taskMoves
  const choices = { taskMoves: { further: further.filter(({ to }) => to !== 'RUNNING') } }
  await using media = await startMedia({ choices })
  const id = await media.submit()
  expect(() => media.control.advanceTask(id)).toThrow('no transition from `PENDING` to `RUNNING`')
  const beginsNowhere = { taskMoves: { further: further.filter(({ from }) => from !== null) } }
  await using other = await startMedia({ choices: beginsNowhere })
  await expect(other.submit()).rejects.toThrow('no transition from `null` to `PENDING`')
})

it('a task has the identifier and the times of the choices', async () => {
  await using media = await startMedia({
    choices: {
      courseOf: ({ model }) => ({ pendingMs: 10, runningMs: model === IMAGE.model ? 20 : 1_000 }),
      newIdentifier: (kind) => `the-${kind}`,
    },
  })
  expect(await media.submit()).toBe('the-task')
  await media.control.clock.advance(30)
  expect(await media.task('the-task')).toMatchObject({ status: 'SUCCEEDED' })
})

it.each(['SAFETY.OUTPUT.IMAGE', 'words'])('a script makes the next task fail with %s', async (failure) => {
  await using media = await startMedia()
  media.control.scriptTasks({ outcome: 'fail', failure })
  const id = await media.submit()
  await media.control.clock.advance(4_000)
  const response = await media.call(`/v1/tasks/${id}`)
  expect([response.status, await response.json()]).toEqual([200, { id, status: 'FAILED', failure }])
})

it('a script applies in order to tasks of its operation and model', async () => {
  await using media = await startMedia({ choices: { tierLimits: () => ({ concurrency: 10 }) } })
  media.control.scriptTasks({ outcome: 'fail', failure: 'A', operation: 'textToVideo' })
  media.control.scriptTasks({ outcome: 'fail', failure: 'B', model: 'gen4_image', times: 2 })
  media.control.scriptTasks({ outcome: 'fail', failure: 'C', operation: ['textToImage', 'soundEffect'] })
  for (const model of ['gen4_image', 'gen4_image_turbo', 'gen4_image', 'gen4_image'])
    await media.submit({ model })
  await media.submit({ model: 'gen4.5', promptText: 'rain' }, '/v1/text_to_video')
  await media.control.clock.advance(4_000)
  expect(media.state.tasks.map(({ failure }) => failure)).toEqual(['B', 'C', 'B', undefined, 'A'])
})

it('a script can apply with a probability, with the same result for the same seed', async () => {
  const run = async () => {
    await using media = await startMedia({ tier: 5 })
    media.control.scriptTasks({ outcome: 'fail', failure: 'INTERNAL', probability: 0.3, times: 'always' })
    await submitMany(media, 20)
    await media.control.clock.advance(4_000)
    return media.state.tasks.map(({ failure }) => failure)
  }
  const first = await run()
  expect(new Set(first)).toEqual(new Set([undefined, 'INTERNAL']))
  expect(await run()).toEqual(first)
})

it('a script holds a task in a state until the control interface moves it', async () => {
  await using media = await startMedia({ tier: 5 })
  for (const place of ['THROTTLED', 'PENDING', 'RUNNING'] as const)
    media.control.scriptTasks({ outcome: 'hold', in: place })
  media.control.scriptTasks({ outcome: 'manual' })
  const [throttled, pending, running, manual] = await submitMany(media, 4)
  await media.control.clock.advance(60_000)
  expect(statuses(media)).toEqual(['THROTTLED', 'PENDING', 'RUNNING', 'PENDING'])
  media.control.advanceTask(throttled!)
  media.control.advanceTask(pending!)
  media.control.completeTask(running!)
  media.control.failTask(manual!, 'INTERNAL')
  expect(statuses(media)).toEqual(['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED'])
  media.control.completeTask(throttled!)
  expect((await media.task(throttled!)).status).toBe('SUCCEEDED')
  media.control.scriptTasks({ outcome: 'hold', in: 'THROTTLED' })
  const last = await media.submit()
  media.control.completeTask(last)
  expect((await media.task(last)).status).toBe('SUCCEEDED')
  expect(() => media.control.completeTask(throttled!)).toThrow('already has the final status `SUCCEEDED`')
  expect(() => media.control.advanceTask('nothing')).toThrow('Unknown task nothing')
})

it('the clock does not move a task that the control interface has already moved', async () => {
  await using media = await startMedia()
  const id = await media.submit()
  media.control.advanceTask(id)
  await media.control.clock.advance(2_999)
  expect((await media.task(id)).status).toBe('RUNNING')
  media.control.completeTask(id)
  await media.control.clock.advance(60_000)
  expect((await media.task(id)).status).toBe('SUCCEEDED')
})

it('a script can have its own times', async () => {
  await using media = await startMedia()
  media.control.scriptTasks({ pendingMs: 5, runningMs: 6 })
  const id = await media.submit()
  await media.control.clock.advance(5)
  expect((await media.task(id)).status).toBe('RUNNING')
  await media.control.clock.advance(6)
  expect((await media.task(id)).status).toBe('SUCCEEDED')
})

it.each([
  [{ outcome: 'explode' }, '`outcome` must be'],
  [{ outcome: 'fail' }, '`failure` must be'],
  [{ in: 'SUCCEEDED' }, '`in` must be'],
  [{ times: 0 }, '`times` must be'],
  [{ probability: 2 }, '`probability` must be'],
  [{ runningMs: -1 }, 'must be 0 or more'],
  [{ operation: 'paint' }, 'unknown operation `paint`; valid operations: `imageToVideo`'],
])('a script cannot be %j', async (script, reason) => {
  await using media = await startMedia()
  expect(() => media.control.scriptTasks(script as object)).toThrow(reason)
})

it('DELETE of a task cancels and removes a running task, so that the next throttled task starts', async () => {
  await using media = await startMedia()
  const [first, second] = await submitMany(media, 2)
  const response = await media.call(`/v1/tasks/${first}`, { method: 'DELETE' })
  expect([response.status, await response.json()]).toEqual([200, {}])
  expect((await media.call(`/v1/tasks/${first}`)).status).toBe(404)
  expect((await media.call(`/v1/tasks/${first}`, { method: 'DELETE' })).status).toBe(404)
  expect((await media.task(second!)).status).toBe('PENDING')
  await media.control.clock.advance(10_000)
  expect(statuses(media)).toEqual(['SUCCEEDED'])
})

it('DELETE of a task removes a throttled task from the queue', async () => {
  await using media = await startMedia()
  const [, second, third] = await submitMany(media, 3)
  await media.call(`/v1/tasks/${second}`, { method: 'DELETE' })
  await media.control.clock.advance(4_000)
  expect((await media.task(third!)).status).toBe('PENDING')
})

it('DELETE of a task stops its timers', async () => {
  await using media = await startMedia()
  media.control.scriptTasks({ runningMs: 600_000 })
  const [first, second, third] = await submitMany(media, 3)
  await media.call(`/v1/tasks/${first}`, { method: 'DELETE' })
  await media.control.clock.advance(4_000)
  expect([(await media.task(second!)).status, (await media.task(third!)).status]).toEqual([
    'SUCCEEDED',
    'PENDING',
  ])
  media.control.reset()
  await media.control.clock.advance(60_000)
  await media.submit()
  expect(statuses(media)).toEqual(['PENDING'])
})

it('DELETE of a task deletes a task that has ended, and by choice its files', async () => {
  for (const outputs of ['kept', 'removed'] as const) {
    await using media = await startMedia({ choices: { deletedTask: { outputs } } })
    const id = await media.submit()
    await media.control.clock.advance(4_000)
    const { output = [] } = await media.task(id)
    await media.call(`/v1/tasks/${id}`, { method: 'DELETE' })
    expect((await media.call(`/v1/tasks/${id}`)).status).toBe(404)
    expect((await media.call(output[0]!)).status).toBe(outputs === 'kept' ? 200 : 404)
  }
})

it('DELETE of a task leaves a FAILED task if that is chosen', async () => {
  await using media = await startMedia({
    choices: { deletedTask: { failure: 'cancelled' } },
  })
  const [first, second] = await submitMany(media, 2)
  await media.call(`/v1/tasks/${first}`, { method: 'DELETE' })
  expect(await media.task(first!)).toEqual({ id: first, status: 'FAILED', failure: 'cancelled' })
  expect((await media.task(second!)).status).toBe('PENDING')
})

it('`submissions` returns how often each body arrived, and the tasks that it created', async () => {
  await using media = await startMedia({ choices: { tierLimits: () => ({ dailyGenerations: 3 }) } })
  const once = await media.submit({ model: 'gen4_image', promptText: 'once' })
  const twice = [
    await media.submit({ model: 'gen4_image', promptText: 'twice' }),
    await media.submit({ promptText: 'twice', model: 'gen4_image' }),
  ]
  await media.call('/v1/text_to_image', { json: { model: 'gen4_image', promptText: 'rejected' } })
  expect(media.control.submissions().map(({ arrivals, taskIds }) => ({ arrivals, taskIds }))).toEqual([
    { arrivals: 1, taskIds: [once] },
    { arrivals: 2, taskIds: twice },
    { arrivals: 1, taskIds: [] },
  ])
  expect(media.control.submissions()[0]).toMatchObject({ operationId: 'textToImage' })
})

it('`submissions` identifies submissions by `submissionKey`', async () => {
  await using media = await startMedia({ choices: { submissionKey: ({ body }) => String(body['key']) } })
  await media.submit({ ...IMAGE, key: 'a', promptText: '1' })
  await media.submit({ ...IMAGE, key: 'a', promptText: '2' })
  expect(media.control.submissions()).toMatchObject([{ key: 'a', arrivals: 2 }])
})
