import type { ScriptStep } from '@concord/runtime/testing'
import { describe, expect, it } from 'vitest'

import {
  image,
  TaskFailedError,
  unlistedModel,
  type ChangedFields,
  type CreditEstimate,
  type GenerationName,
  type RegeneratePolicy,
  type Regeneration,
  type TaskHandle,
} from '../src/index.ts'
import { bodyOf, failed, json, offline, rejection, running, scripted, succeeded } from './support.ts'

const request = { model: 'gen4.5', promptText: 'a boat', duration: 2 } as const

/** Submits a request whose task fails. @param next - The responses after that. */
async function failing(next: readonly ScriptStep[], regenerate: RegeneratePolicy = { maxTimes: 1 }) {
  const client = scripted([json({ id: 'a' }), failed('INTERNAL'), ...next])
  return { ...client, task: await client.media.textToVideo(request, { regenerate }) }
}

/** Changes the prompt after it has aborted a wait. */
const abortingPrompt = (controller: AbortController, reason: Error) => async () => {
  controller.abort(reason)
  await new Promise(setImmediate)
  return { promptText: 'another boat' }
}

describe('regenerating', () => {
  it.each(['INTERNAL', 'INTERNAL.BAD_OUTPUT'])(
    'submits the same request again after %s, and counts the credits',
    async (failure) => {
      const { media, emulator } = await offline()
      emulator.media.control.scriptTasks({ outcome: 'fail', failure, times: 2 })
      const reported: Regeneration[] = []
      const task = await media.textToVideo(request, {
        regenerate: { maxTimes: 3, onRegenerate: (each) => reported.push(each) },
      })
      const firstId = task.id
      const done = await task.wait()
      expect(done.status).toBe('SUCCEEDED')
      expect(done.id).toBe(task.id)
      expect(task.id).not.toBe(firstId)
      expect(reported).toEqual(task.regenerations)
      expect(reported[0]).toEqual({
        failedId: firstId,
        failure,
        category: failure === 'INTERNAL' ? 'server-error' : 'bad-output',
        credits: { min: 24, max: 24 },
      })
      expect(task.regenerationCredits).toEqual({ min: 48, max: 48 })
      expect(emulator.media.control.submissions()).toMatchObject([{ arrivals: 3 }])
      expect((await media.resume(task.resumeToken()).wait()).id).toBe(done.id)
    },
  )

  it('R-21: reports how many tasks a submission may have made after 504, and counts them in the cost', async () => {
    const first = [json({}, 504), json({ id: 'a' }), failed('INTERNAL')] as const
    const { media } = scripted([...first, json({}, 503), json({}, 502), json({ id: 'b' }), succeeded('b')])
    const task = await media.textToVideo(request, { regenerate: { maxTimes: 1 } })
    expect(task.possibleDuplicates).toBe(2)
    await task.wait()
    expect(task.possibleDuplicates).toBe(3)
    expect(task.regenerationCredits).toEqual({ min: 24, max: 72 })
    expect(media.task('a').possibleDuplicates).toBe(1)
  })

  it('R-21: counts a submission whose response was lost in the cost, up to its price', async () => {
    const { task } = await failing([json({}, 504), 'lost'], { maxTimes: 2 })
    const error = await rejection(task.wait())
    expect(error).toMatchObject({ code: 'submission-uncertain', possibleDuplicates: 2 })
    expect(task.regenerations).toEqual([])
    expect(task.regenerationCredits).toEqual({ min: 0, max: 48 })
    const other = scripted([json({ id: 'a' }), failed('INTERNAL'), 'lost'])
    const unlisted = await other.media.textToVideo({ model: unlistedModel('gen6') })
    await rejection(unlisted.wait({ regenerate: { maxTimes: 1 } }))
    expect(unlisted.regenerationCredits).toBe('unknown')
  })

  it.each<[GenerationName, object, object, CreditEstimate]>([
    ['characterPerformance', { model: 'act_two' }, { uri: 'a:b', duration: 1000 }, 'unknown'],
    ['textToVideo', request, { seconds: 60, price: 'a field of the service' }, { min: 24, max: 24 }],
  ])(
    'counts only the documented fields of %s %j in its cost, not %j',
    async (name, body, fields, credits) => {
      const { media } = scripted([json({ id: 'a' }), failed('INTERNAL'), json({ id: 'b' }), succeeded('b')])
      const submit = media[name].bind(media) as (request: object) => Promise<TaskHandle>
      const task = await submit({ ...body, fields })
      await task.wait({ regenerate: { maxTimes: 1 } })
      expect(task.regenerationCredits).toEqual(credits)
    },
  )

  it('stops regenerating after maxTimes', async () => {
    const { media, emulator } = await offline()
    emulator.media.control.scriptTasks({ outcome: 'fail', failure: 'INTERNAL', times: 'always' })
    const task = await media.textToVideo(request)
    const error = await rejection(task.wait({ regenerate: { maxTimes: 2 } }))
    expect(error).toMatchObject({ id: task.id, reason: 'INTERNAL' })
    expect(emulator.media.state.tasks.length).toBe(3)
  })

  it.each([
    'SAFETY.INPUT.TEXT',
    'ASSET.INVALID',
    'SAFETY.OUTPUT.VIDEO',
    'The cause is unknown.',
    'INTERNAL.NEW',
  ])('never submits the same request after %s', async (failure) => {
    const { media, transport } = scripted([json({ id: 'a' }), failed(failure)])
    const task = await media.textToVideo(request, { regenerate: { maxTimes: 5 } })
    expect(TaskFailedError.is(await rejection(task.wait()))).toBe(true)
    if (failure !== 'SAFETY.OUTPUT.VIDEO') {
      const regenerate = { maxTimes: 5, changePrompt: () => ({ promptText: 'another boat' }) }
      expect(TaskFailedError.is(await rejection(task.wait({ regenerate })))).toBe(true)
    }
    expect(transport.requests.filter(({ method }) => method === 'POST').length).toBe(1)
  })

  it('submits another prompt after a moderated output, and never the same one', async () => {
    const script = [json({ id: 'a' }), failed('SAFETY.OUTPUT.VIDEO'), json({ id: 'b' })] as const
    const { media, transport } = scripted([...script, succeeded('b')])
    const changePrompt = (_: TaskFailedError, { promptText }: ChangedFields) => ({
      promptText: `${String(promptText)}, seen from afar`,
    })
    const task = await media.textToVideo(request, { regenerate: { maxTimes: 1, changePrompt } })
    await task.wait()
    expect(bodyOf(transport.requests[2])).toEqual({ ...request, promptText: 'a boat, seen from afar' })
    for (const same of [() => undefined, () => ({}), () => ({ promptText: 'a boat' })]) {
      const other = scripted([json({ id: 'a' }), failed('SAFETY.OUTPUT.VIDEO')])
      const again = await other.media.textToVideo(request, {
        regenerate: { maxTimes: 1, changePrompt: same },
      })
      expect(await rejection(again.wait())).toMatchObject({ category: 'output-moderation' })
      expect(other.transport.requests.length).toBe(2)
    }
  })

  it('changePrompt changes only the field that contains the prompt of the endpoint', async () => {
    const { media, transport } = scripted([
      json({ id: 'a' }),
      failed('SAFETY.OUTPUT.AUDIO'),
      json({ id: 'b' }),
      succeeded('b'),
    ])
    const fields = { text: 'read this aloud', style: 'calm' }
    const task = await media.textToSpeech(
      { model: 'audio_multilingual_v2', fields },
      { regenerate: { maxTimes: 1, changePrompt: (_, { text }) => ({ text: `${String(text)}, softly` }) } },
    )
    await task.wait()
    expect(bodyOf(transport.requests[2])).toEqual({
      model: 'audio_multilingual_v2',
      text: 'read this aloud, softly',
      style: 'calm',
    })
  })

  it.each([
    [
      { promptText: 'read this aloud, softly' },
      'returned `promptText`, a field that the request does not have',
    ],
    ['read this aloud, softly', 'did not return an object of fields'],
    [null, 'did not return an object of fields'],
    [['read this aloud, softly'], 'did not return an object of fields'],
    [{ text: new Uint8Array(2) }, 'returned a file or other content for `text`'],
    [{ text: image('https://assets.example/a.png') }, 'returned a file or other content for `text`'],
  ])('submits nothing, and says why, if changePrompt returns %j', async (changes, problem) => {
    const { media, transport } = scripted([json({ id: 'a' }), failed('SAFETY.OUTPUT.AUDIO')])
    const task = await media.textToSpeech(
      { model: 'audio_multilingual_v2', fields: { text: 'read this aloud' } },
      { regenerate: { maxTimes: 1, changePrompt: () => changes as never } },
    )
    expect(await rejection(task.wait())).toMatchObject({
      code: 'invalid-options',
      option: 'regenerate.changePrompt',
      message: expect.stringContaining(problem),
    })
    expect(transport.requests.length).toBe(2)
  })

  it('regenerates once even if other waits begin at any moment while the new task is being submitted', async () => {
    const others: Promise<unknown>[] = []
    const { task, transport } = await failing(
      [
        () => {
          void beginWaits()
          return Response.json({ id: 'b' })
        },
        succeeded('b'),
      ],
      { maxTimes: 5 },
    )
    const beginWaits = async () => {
      for (let turn = 0; turn < 200; turn++) {
        others.push(task.wait())
        await Promise.resolve()
      }
    }
    await task.wait()
    for (const done of await Promise.all(others)) expect(done).toMatchObject({ id: 'b' })
    expect(task.id).toBe('b')
    expect(transport.requests.filter(({ method }) => method === 'POST')).toHaveLength(2)
    // The request was released, but nothing is left to submit again.
    expect(await task.wait({ regenerate: { maxTimes: 1 } })).toMatchObject({ id: 'b' })
  })

  it('regenerates once even if the wait is aborted, and another one begins, at any moment after the response', async () => {
    for (let turns = 0; turns < 80; turns++) {
      const controller = new AbortController()
      let other: Promise<unknown> = Promise.resolve()
      const { task, transport } = await failing(
        [
          () => {
            void abortLater()
            return Response.json({ id: 'b' })
          },
          succeeded('b'),
        ],
        { maxTimes: 5 },
      )
      const abortLater = async () => {
        for (let turn = 0; turn < turns; turn++) await Promise.resolve()
        controller.abort(new Error('enough'))
        other = task.wait().catch((error: unknown) => error)
      }
      await task.wait({ signal: controller.signal }).catch(() => undefined)
      const outcome = await other
      if (task.id === 'b') expect(outcome).toMatchObject({ id: 'b' })
      else expect(outcome).toMatchObject({ code: 'submission-uncertain' })
      expect(transport.requests.filter(({ method }) => method === 'POST')).toHaveLength(2)
    }
  })

  it('a later wait regenerates again if the service denied it', async () => {
    const { task } = await failing(
      [json({ error: 'out of credits' }, 402), json({ id: 'b' }), succeeded('b')],
      { maxTimes: 5 },
    )
    expect(await rejection(task.wait())).toMatchObject({ code: 'http', status: 402 })
    expect(await task.wait()).toMatchObject({ id: 'b' })
  })

  it('regenerating needs the request, which a handle from a token does not know', async () => {
    const { media } = scripted([failed('INTERNAL')])
    const error = await rejection(media.task('a').wait({ regenerate: { maxTimes: 1 } }))
    expect(error).toMatchObject({ option: 'regenerate' })
  })

  it.each([{}, { maxTimes: undefined }, { max: 1 }, { maxTimes: '1' }, { maxTimes: Infinity }, true])(
    'rejects the regeneration policy %j before anything is sent',
    async (regenerate) => {
      const { media, transport } = scripted([json({ id: 'a' }), failed('INTERNAL')])
      expect(await rejection(media.textToVideo(request, { regenerate } as never))).toMatchObject({
        code: 'invalid-options',
      })
      expect(transport.requests).toEqual([])
      const task = await media.textToVideo(request)
      expect(await rejection(task.wait({ regenerate } as never))).toMatchObject({ code: 'invalid-options' })
      expect(transport.requests.length).toBe(1)
    },
  )

  it('R-21: no later wait repeats a regeneration that may have been accepted', async () => {
    const { task, transport } = await failing(['lost', json({ id: 'b' })], { maxTimes: 5 })
    const first = await rejection(task.wait())
    expect(first).toMatchObject({ code: 'submission-uncertain' })
    expect(await rejection(task.wait())).toBe(first)
    expect(transport.requests.length).toBe(3)
  })

  it('R-32: a wait that regenerates ends exactly at its deadline', async () => {
    const { media, clock } = scripted([
      json({ id: 'a' }),
      running(),
      failed('INTERNAL'),
      json({ id: 'b' }),
      running('b'),
    ])
    const task = await media.textToVideo(request, { regenerate: { maxTimes: 1 } })
    const error = await rejection(task.wait({ deadline: '12s' }))
    expect(error).toMatchObject({
      code: 'deadline',
      operation: 'getTask',
      limitMs: 12_000,
      id: 'b',
      lastState: 'RUNNING',
      message: expect.stringMatching(
        /deadline of this wait \(12000 ms, including regenerations\); the last status was 'RUNNING'/,
      ),
    })
    expect(clock.elapsedMs).toBe(12_000)
  })

  it('R-32: a wait that regenerates ends with the cause if no poll of the new task has succeeded', async () => {
    const { task } = await failing([json({ id: 'b' }), json({}, 503)])
    expect(await rejection(task.wait({ deadline: '12s' }))).toMatchObject({
      code: 'deadline',
      id: 'b',
      cause: { code: 'deadline', cause: { status: 503 } },
      message: expect.stringContaining('no poll has succeeded yet'),
    })
  })

  it('R-32: reports the limit of the polls if the wait has no deadline', async () => {
    const polling = { limit: '1m' } as const
    const { media } = scripted([json({ id: 'a' }), failed('INTERNAL'), json({ id: 'b' }), running('b')])
    const task = await media.textToVideo(request, { polling, regenerate: { maxTimes: 1 } })
    expect(await rejection(task.wait())).toMatchObject({ code: 'deadline', id: 'b', limitMs: 60_000 })
  })

  it('R-32: a regeneration may have been accepted if the deadline passes while it is being submitted', async () => {
    const { task, clock, transport } = await failing(['stalled'])
    expect(await rejection(task.wait({ deadline: '12s' }))).toMatchObject({
      code: 'deadline',
      message: expect.stringContaining('resubmitted'),
    })
    expect(clock.elapsedMs).toBe(12_000)
    expect(await rejection(task.wait())).toMatchObject({
      code: 'submission-uncertain',
      operation: 'textToVideo',
      submitted: { method: 'POST', path: '/v1/text_to_video', fields: ['model', 'promptText', 'duration'] },
    })
    // It ended with the first wait, so the second one fails immediately.
    expect(clock.elapsedMs).toBe(12_000)
    expect(transport.requests.length).toBe(3)
  })

  it('R-32: each wait awaits a regeneration until its own deadline', async () => {
    const { task, clock } = await failing(['stalled'])
    const first = rejection(task.wait({ deadline: '30s' }))
    const endedAtMs: number[] = []
    clock.setTimer(() => {
      void rejection(task.wait({ deadline: '2s' })).then(() => endedAtMs.push(clock.elapsedMs))
    }, 10_000)
    await first
    expect([...endedAtMs, clock.elapsedMs]).toEqual([12_000, 30_000])
  })

  it('R-03: a regeneration continues for the other waits if one of them is aborted', async () => {
    const { media, emulator } = await offline()
    emulator.media.control.scriptTasks({ outcome: 'fail', failure: 'SAFETY.OUTPUT.VIDEO' })
    const controller = new AbortController()
    const reason = new Error('enough')
    const changePrompt = abortingPrompt(controller, reason)
    const task = await media.textToVideo(request, { regenerate: { maxTimes: 1, changePrompt } })
    const [gone, there] = await Promise.allSettled([task.wait({ signal: controller.signal }), task.wait()])
    expect(gone).toMatchObject({ status: 'rejected', reason })
    expect(there).toMatchObject({ status: 'fulfilled', value: { status: 'SUCCEEDED' } })
    expect(emulator.media.state.tasks.length).toBe(2)
  })

  it('R-03: does not regenerate if all waits have been aborted', async () => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const changePrompt = abortingPrompt(controller, reason)
    const { media, transport } = scripted([
      json({ id: 'a' }),
      failed('SAFETY.OUTPUT.VIDEO'),
      json({ id: 'b' }),
    ])
    const task = await media.textToVideo(request, { regenerate: { maxTimes: 1, changePrompt } })
    expect(await rejection(task.wait({ signal: controller.signal }))).toBe(reason)
    await new Promise(setImmediate)
    expect(transport.requests.length).toBe(2)
    // Nothing was sent, so a later wait can start it.
    expect(((await rejection(task.wait({ regenerate: { maxTimes: 0 } }))) as { code: string }).code).toBe(
      'operation-failed',
    )
  })

  it('adds up the time that regenerated tasks were throttled', async () => {
    const { media, emulator } = await offline()
    emulator.media.control.scriptTasks({ runningMs: 60_000, operation: 'textToImage' })
    emulator.media.control.scriptTasks({ outcome: 'fail', failure: 'INTERNAL', operation: 'textToVideo' })
    await media.textToImage({ model: 'gen4_image' })
    const task = await media.textToVideo(request, { regenerate: { maxTimes: 1 } })
    await task.wait()
    expect(task.regenerations).toHaveLength(1)
    // Polls saw it throttled at 5 s and running at 65 s; the second task was never throttled.
    expect(task.throttledMs).toBe(60_000)
  })
})
