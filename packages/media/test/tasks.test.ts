import { getEventListeners } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect } from 'node:util'

import { createEmulator } from '@concord/emulator'
import { memoryTransport } from '@concord/runtime/testing'
import { describe, expect, it } from 'vitest'

import { Media, TaskFailedError, type OutputProgress, type TaskUpdate } from '../src/index.ts'
import { json, offline, rejection, running, scratch, scripted, SECRET, succeeded } from './support.ts'

const request = {
  model: 'gen4.5',
  promptText: 'a paper boat in rain',
  ratio: '1280:720',
  duration: 2,
} as const

/** A film that takes more than one read of a socket. */
const FILM = {
  extension: 'mp4',
  contentType: 'video/mp4',
  bytes: Uint8Array.from({ length: 3_000_000 }, (_, index) => (index * 31) % 251),
}

describe('R-30: a task', () => {
  it('R-32: polls a task every 5 s, as the documented loop does, until it has succeeded', async () => {
    const { media, clock, emulator } = await offline()
    const task = await media.textToVideo(request)
    const { status, output } = await task.wait()
    expect(status).toBe('SUCCEEDED')
    expect(output.length).toBe(1)
    expect(clock.elapsedMs).toBe(5_000)
    expect(emulator.media.control.requests().map(({ operationId }) => operationId)).toEqual([
      'textToVideo',
      'getTask',
    ])
  })

  it('a task handle yields changes, can be resumed from its token, and is not thenable', async () => {
    const { media } = await offline({
      polling: { task: { firstDelayMs: 500, minDelayMs: 500, maxDelayMs: 500 } },
    })
    const task = await media.textToVideo(request)
    const seen: (string | undefined)[] = []
    for await (const { status, id } of task) {
      expect(id).toBe(task.id)
      seen.push(status)
    }
    expect(seen).toEqual(['PENDING', 'RUNNING', 'SUCCEEDED'])
    expect((await media.resume(task.resumeToken()).wait()).id).toBe(task.id)
    expect((await media.task(task.id).wait()).id).toBe(task.id)
    expect('then' in task).toBe(false)
    expect(task.resumeToken()).not.toContain(SECRET)
    expect(() => media.resume('nonsense')).toThrow(/token/)
  })

  it('R-31: waits while a task is THROTTLED, never submits it again, and reports the throttled time separately', async () => {
    const { media, emulator } = await offline({}, { media: { tier: 1 } })
    emulator.media.control.scriptTasks({ runningMs: 30_000 })
    const first = await media.textToVideo(request)
    const second = await media.textToVideo({ ...request, promptText: 'the next' })
    const updates: TaskUpdate[] = []
    const done = await second.wait({ onUpdate: (update) => updates.push(update) })
    expect(done.status).toBe('SUCCEEDED')
    expect(updates.map(({ status }) => status)).toContain('THROTTLED')
    // Polls see it throttled from 5 s to 30 s, and running at 35 s.
    expect(second.throttledMs).toBe(30_000)
    expect(updates.at(-1)?.throttledMs).toBe(30_000)
    expect(updates.at(-1)?.elapsedMs).toBeGreaterThan(30_000)
    expect((await first.wait()).status).toBe('SUCCEEDED')
    expect(first.throttledMs).toBe(0)
    expect(emulator.media.control.submissions().map(({ arrivals }) => arrivals)).toEqual([1, 1])
  })

  it('R-31: keeps waiting for a task after failed polls', async () => {
    const { media, emulator } = await offline()
    emulator.media.control.faults.add({ kind: 'status', status: 503, operation: 'getTask', times: 3 })
    emulator.media.control.faults.add({ kind: 'reset', when: 'after', operation: 'getTask', times: 2 })
    expect((await (await media.textToVideo(request)).wait()).status).toBe('SUCCEEDED')
    // After a failed poll, the next poll follows on schedule, without a retry.
    const at = emulator.media.control.requests().map((each) => each.at)
    expect(at.map((each) => each - (at[0] ?? 0))).toEqual([0, 5_000, 10_000, 15_000, 20_000, 25_000, 30_000])
  })

  it('R-31: keeps waiting for a task in an undocumented status', async () => {
    const { media } = scripted([json({ id: 'a', status: 'PAUSED' }), succeeded()])
    expect((await media.task('a').wait()).status).toBe('SUCCEEDED')
  })

  it.each([undefined, 'https://o.example/a', [1], null])(
    'R-04: reports drift in every validation mode if a task has succeeded with the output %j',
    async (output) => {
      const { media } = scripted([json({ id: 'a', status: 'SUCCEEDED', output })], { validate: 'off' })
      expect(await rejection(media.task('a').wait())).toMatchObject({
        code: 'contract-drift',
        operation: 'getTask',
        issues: [{ path: '/output' }],
      })
    },
  )

  it('waits for a task as long as the caller wants, but never without a limit', async () => {
    const { media, clock } = scripted([running()])
    const hourly = { firstDelayMs: 3_600_000, minDelayMs: 3_600_000, maxDelayMs: 3_600_000 }
    const beganMs = clock.elapsedMs
    const task = media.task('a', { polling: { ...hourly, limit: '3d' } })
    expect(await rejection(task.wait())).toMatchObject({ code: 'deadline', limitMs: 259_200_000 })
    expect(clock.elapsedMs - beganMs).toBe(259_200_000)
    expect(await rejection(task.wait({ deadline: Infinity }))).toMatchObject({ option: 'deadline' })
  })

  it('R-32: does not report a task as failed if it takes longer than the deadline', async () => {
    const { media, emulator, clock } = await offline()
    emulator.media.control.scriptTasks({ outcome: 'hold' })
    const task = await media.textToVideo(request)
    expect(await rejection(task.wait({ deadline: '1m' }))).toMatchObject({
      code: 'deadline',
      id: task.id,
      lastState: 'RUNNING',
    })
    expect(clock.elapsedMs).toBe(60_000)
  })

  it("waits for a task for 24 hours without a deadline, which is this client's choice", async () => {
    const task = { minDelayMs: 600_000, maxDelayMs: 3_600_000 }
    const { media, emulator, clock } = await offline({ polling: { task } })
    emulator.media.control.scriptTasks({ outcome: 'hold', in: 'THROTTLED' })
    const error = await rejection((await media.textToVideo(request)).wait())
    expect(error).toMatchObject({ code: 'deadline', lastState: 'THROTTLED' })
    expect(clock.elapsedMs).toBe(86_400_000)
  })

  it("R-03: leaves no listener on the caller's signal after a wait, a download or a batch", async () => {
    const { media } = await offline({}, { media: { tier: 5, credits: 1_000_000 } })
    const { signal } = new AbortController()
    const folder = await scratch()
    const tasks = await Promise.all(Array.from({ length: 20 }, () => media.textToVideo(request, { signal })))
    await Promise.all(tasks.map((task) => task.wait({ signal })))
    await tasks[0]?.download({ folder, signal })
    for await (const _ of media.task(tasks[0]?.id ?? '').changes({ signal }));
    await media.batch([{ operation: 'textToVideo', request }], { signal })
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it.each([{ deadlin: '5m' }, { onUpdate: 1 }, { deadline: 'soon' as never }])(
    'rejects the wait options %j',
    async (options) => {
      const { media, transport } = scripted([succeeded()])
      expect(await rejection(media.task('a').wait(options as never))).toMatchObject({
        option: Object.keys(options)[0],
      })
      expect(transport.requests).toEqual([])
    },
  )

  it.each([
    [{ baseUrl: 'media.example' }, 'baseUrl'],
    [{ uploader: 'https://uploads.example' }, 'uploader'],
  ])('a client rejects the unusable options %j', (own, option) => {
    const options = { baseUrl: 'https://media.example', apiSecret: SECRET, ...own }
    expect(() => new Media(options as never)).toThrow(expect.objectContaining({ option }) as Error)
  })

  it('R-60: an observer sees the polls of a task', async () => {
    const polls: unknown[] = []
    const { media } = await offline({ observe: (event) => void (event.type === 'poll' && polls.push(event)) })
    await (await media.textToVideo(request)).wait()
    expect(polls).toEqual([{ type: 'poll', operation: 'getTask', poll: 1, state: 'SUCCEEDED' }])
  })

  it("R-32: the client's random source spreads the polls of tasks", async () => {
    const polling = { task: { firstDelayMs: 1_000, minDelayMs: 1_000, maxDelayMs: 60_000 } }
    const endOf = async (random: () => number) => {
      const { media, clock } = scripted([running(), running(), running(), succeeded()], {
        random,
        polling,
      })
      await media.task('task-1').wait()
      return clock.elapsedMs
    }
    expect(await endOf(() => 0)).toBeLessThan(await endOf(() => 0.99))
  })

  it('inspecting a task handle shows only fields that may be logged', async () => {
    const { media } = scripted([succeeded('a', ['https://o.example/a?signature=s'])])
    const task = media.task('a')
    await task.wait()
    expect(inspect(task)).toBe('TaskHandle {"id":"a","status":"SUCCEEDED","ended":true,"throttledMs":0}')
    expect(task.snapshot?.output).toHaveLength(1)
  })
})

describe('R-33: a task that failed', () => {
  it.each<[failure: string, category: string, advice: string, refundable?: false]>([
    ['SAFETY.INPUT.TEXT', 'input-moderation', 'none', false],
    ['SAFETY.INPUT.IMAGE.FACE', 'input-moderation', 'none', false],
    ['SAFETY.OUTPUT.VIDEO', 'output-moderation', 'change-prompt'],
    ['INTERNAL.BAD_OUTPUT', 'bad-output', 'retry'],
    ['ASSET.INVALID', 'invalid-asset', 'fix-input'],
    ['INTERNAL', 'server-error', 'retry'],
    ...[
      'The cause is unknown.',
      'INTERNAL.SOMETHING',
      'INTERNAL.BAD_OUTPUT.COLOUR',
      'ASSET.INVALID.SIZE',
      // The documentation lists the codes that start with these prefixes, but not the prefixes themselves.
      'SAFETY.INPUT',
      'SAFETY.OUTPUT',
      'SAFETY.INPUT.',
      'SAFETY.INPUTS.TEXT',
      'internal',
    ].map((failure): [string, string, string] => [failure, 'unknown', 'none']),
  ])(
    'a task that failed with %s throws an error with its category and advice',
    async (failure, category, advice, refundable) => {
      const { media, emulator } = await offline()
      emulator.media.control.scriptTasks({ outcome: 'fail', failure })
      const task = await media.textToVideo(request)
      const error = await rejection(task.wait())
      expect(TaskFailedError.is(error)).toBe(true)
      expect(error).toMatchObject({
        code: 'operation-failed',
        id: task.id,
        reason: failure,
        category,
        advice,
        refundable,
        operation: 'getTask',
        message: expect.stringContaining(`The service says: ${failure}`),
      })
      expect((error as TaskFailedError).task.status).toBe('FAILED')
      // Never submitted again automatically.
      expect(emulator.media.state.tasks.length).toBe(1)
    },
  )

  const quoted =
    'says: The prompt is too long. The documentation does not list this reason, so no advice is known.'
  it.each<[failure: string | undefined, rest: string]>([
    [undefined, 'returned no reason, so no advice is known.'],
    ['The prompt is too long', quoted],
    ['The prompt is too long.', quoted],
  ])(
    'the error of a failed task quotes the reason %j, and ends it with one period',
    async (failure, rest) => {
      const { media } = scripted([json({ id: 'a', status: 'FAILED', failure })])
      expect(await rejection(media.task('a').wait())).toMatchObject({
        reason: failure ?? '',
        category: 'unknown',
        advice: 'none',
        message: `The task a failed. The service ${rest}`,
      })
    },
  )
})

describe('R-09: the output of a task', () => {
  it("downloads an output into a folder, with the extension of its media type and none of the service's headers", async () => {
    const folder = join(await scratch(), 'out')
    const { media, emulator } = await offline()
    const progress: OutputProgress[] = []
    const task = await media.textToVideo(request)
    const [file, ...others] = await task.download({ folder, onProgress: (each) => progress.push(each) })
    expect(others).toEqual([])
    expect(file).toMatchObject({ contentType: 'video/mp4', path: join(folder, `${task.id}.mp4`) })
    const content = await readFile(file?.path ?? '')
    expect(content.length).toBe(file?.sizeBytes)
    expect(content.subarray(4, 8).toString()).toBe('ftyp')
    expect(progress.at(-1)).toEqual({
      index: 0,
      count: 1,
      bytesReceived: content.length,
      totalBytes: content.length,
    })
    const [output] = emulator.media.state.tasks[0]?.outputs ?? []
    expect(output).toMatchObject({ requests: 1, requestsWithCredentials: 0 })
  })

  it.each(['text/html; charset=utf-8', 'application/json', 'application/xml'])(
    'R-04: rejects a page or an error message in place of an output: %s',
    async (type) => {
      const folder = await scratch()
      const page = () => new Response('<html>sign in', { headers: { 'content-type': type } })
      const { media } = scripted([succeeded('a', ['https://outputs.example/film.mp4']), page])
      const done = await media.task('a').wait()
      const [output] = done.outputs
      for (const read of [
        () => done.download({ folder }),
        () => output!.save(join(folder, 'film.mp4')),
        () => output!.blob(),
        () => output!.bytes(),
        () => output!.stream(),
      ])
        expect(await rejection(read())).toMatchObject({ code: 'unexpected-content', contentType: type })
      expect(await readdir(folder)).toEqual([])
      // The caller can allow it.
      expect(await (await output!.blob({ accepts: () => true })).text()).toBe('<html>sign in')
    },
  )

  it("names several outputs by number, by the caller's function, or after a task whose id is not a valid file name", async () => {
    const folder = await scratch()
    const url = (name: string) => `https://outputs.example/${name}`
    const { media } = scripted([
      succeeded('../a b..c', [url('1'), url('2.PNG')]),
      () => new Response('jpeg', { headers: { 'content-type': 'image/jpeg' } }),
      () => new Response('png'),
    ])
    const task = media.task('../a b..c')
    const done = await task.wait()
    await done.download({ folder })
    expect((await readdir(folder)).toSorted()).toEqual(['__a_b..c-1.jpg', '__a_b..c-2.png'])
    await done.download({ folder, nameOf: ({ index }) => `image ${index}` })
    expect(await readdir(folder)).toContain('image 1.png')
  })

  it('reads an output as a stream, a Blob or bytes, and saves it to an exact path', async () => {
    const path = join(await scratch(), 'film.mp4')
    const { media, emulator } = await offline()
    const task = await media.textToVideo(request)
    const { output, outputs } = await task.wait()
    expect(outputs.map(({ url, index }) => [url, index])).toEqual([[output[0], 0]])
    const [film] = outputs
    const bytes = await film!.bytes()
    expect(new TextDecoder().decode(bytes.subarray(4, 8))).toBe('ftyp')
    const blob = await film!.blob()
    expect([blob.type, blob.size]).toEqual(['video/mp4', bytes.length])
    const { body, ...about } = await film!.stream()
    expect(about).toEqual({ contentType: 'video/mp4', totalBytes: bytes.length })
    expect(new Uint8Array(await new Response(body).arrayBuffer())).toEqual(bytes)
    expect(await film!.save(path)).toMatchObject({ path, sizeBytes: bytes.length })
    expect(new Uint8Array(await readFile(path))).toEqual(bytes)
    const [seen] = emulator.media.state.tasks[0]?.outputs ?? []
    expect(seen).toMatchObject({ requests: 4, requestsWithCredentials: 0 })
    emulator.media.control.expireOutputs()
    for (const read of [film!.stream(), film!.blob(), film!.bytes(), film!.save(path)])
      expect(await rejection(read)).toMatchObject({ code: 'download', failure: 'expired' })
  })

  it('a download rejects a plain string, which could mean a folder or a file', async () => {
    const { media, transport } = scripted([succeeded('a', ['https://o.example/1'])])
    const error = await rejection(media.task('a').download('out/film.mp4' as never))
    expect(error).toMatchObject({ code: 'invalid-options' })
    expect(String(error)).toMatch(/folder or a file.*\{ folder: 'out' \}.*save\('out\/film.mp4'\)/)
    expect(transport.requests).toEqual([])
  })

  it('R-02: the deadline of a download covers the wait and all files, and an abort ends either', async () => {
    const folder = await scratch()
    const transport = memoryTransport(async ({ url }) => {
      await new Promise<void>((resolve) => clock.setTimer(resolve, 4_000))
      if (url.includes('/tasks/')) return succeeded('a', ['https://o.example/1', 'https://o.example/2'])()
      return new Response('film', { headers: { 'content-type': 'video/mp4' } })
    })
    const { media, clock } = scripted([json({})], { transport })
    await clock.advance(60_000)
    const error = await rejection(media.task('a').download({ folder, deadline: '10s' }))
    expect(error).toMatchObject({ code: 'deadline' })
    expect(clock.elapsedMs).toBe(70_000)
    expect(await rejection(media.task('a').download({ folder, deadline: '2s' }))).toMatchObject({
      code: 'deadline',
    })
    expect(clock.elapsedMs).toBe(72_000)
    const controller = new AbortController()
    const waiting = media.task('b').download({ folder, signal: controller.signal })
    const reason = new Error('enough')
    controller.abort(reason)
    expect(await rejection(waiting)).toBe(reason)
  })

  it('a download rejects names with which one file would replace another, and invalid options', async () => {
    const folder = await scratch()
    const { media, transport } = scripted([succeeded('a', ['https://o.example/1', 'https://o.example/2'])])
    const task = media.task('a')
    const invalid: [object | string, string][] = [
      [{ folder, nameOf: 'x' }, 'nameOf'],
      [{ folder, onProgress: 'x' }, 'onProgress'],
      [{ folder, overwrite: true }, 'overwrite'],
      [{ folder, deadline: 'soon' }, 'deadline'],
      [{}, 'folder'],
      ['out', 'options'],
    ]
    for (const [options, option] of invalid)
      expect(await rejection(task.download(options as never))).toMatchObject({ option })
    expect(transport.requests).toEqual([])
    const done = await task.wait()
    for (const [options, option] of invalid)
      expect(await rejection(done.download(options as never))).toMatchObject({ option })
    // Each name is its own, so that no other rule rejects it.
    for (const name of ['', '../film', 'a\\b', 'a\0b', undefined, ['film']])
      expect(
        await rejection(
          task.download({ folder, nameOf: ({ index }) => (index ? 'other' : (name as string)) }),
        ),
      ).toMatchObject({
        option: 'nameOf',
        message: expect.stringMatching(
          typeof name === 'string' ? /name that is empty, or contains a slash/ : /not return a string/,
        ),
      })
    expect(await rejection(task.download({ folder, nameOf: () => 'film' }))).toMatchObject({
      option: 'nameOf',
      message: expect.stringContaining('the same name for several outputs'),
    })
    expect(transport.requests.length).toBe(1)
  })

  it('R-10: resumes an interrupted download, and sends neither the secret nor the version header', async () => {
    const folder = await scratch()
    const link = 'https://outputs.example/a.mp4?signature=s'
    const requested: Headers[] = []
    const bytes = new TextEncoder()
    const broken = new ReadableStream({
      start: (controller) => controller.enqueue(bytes.encode('half')),
      pull: async (controller) => {
        await new Promise(setImmediate)
        controller.error(new Error('lost'))
      },
    })
    const transport = memoryTransport(({ url, headers }) => {
      if (url !== link) return succeeded('a', [link])()
      requested.push(headers)
      const etag = '"1"'
      if (requested.length === 1)
        return new Response(broken, { headers: { 'content-type': 'video/mp4', etag, 'content-length': '8' } })
      return new Response('next', { status: 206, headers: { 'content-range': 'bytes 4-7/8', etag } })
    })
    const { media } = scripted([succeeded()], { transport })
    const [file] = await media.task('a').download({ folder })
    expect(await readFile(file?.path ?? '', 'utf8')).toBe('halfnext')
    expect(await readdir(folder)).toEqual(['a.mp4'])
    expect(requested.map((headers) => [headers.get('range'), headers.get('if-range')])).toEqual([
      [null, null],
      ['bytes=4-', '"1"'],
    ])
    for (const headers of requested) {
      expect(headers.has('authorization')).toBe(false)
      expect(headers.has('x-service-version')).toBe(false)
    }
  })

  it('completes a download over real sockets even if the connection is lost repeatedly', async () => {
    const folder = await scratch()
    const emulator = await createEmulator({ seed: 1, media: { choices: { outputFiles: () => [FILM] } } })
    await using _ = emulator
    await using served = await emulator.serve({ services: ['media'] })
    await using media = new Media({
      baseUrl: served.media.baseUrl,
      apiSecret: served.media.apiSecret,
      polling: { task: { firstDelayMs: 1, minDelayMs: 1, maxDelayMs: 1 } },
      random: () => 0,
    })
    const task = await media.textToVideo(request)
    emulator.media.control.completeTask(task.id)
    emulator.media.control.faults.add({ kind: 'reset', when: 'mid-body', operation: 'page:output', times: 2 })
    const came: number[] = []
    const [file] = await task.download({ folder, onProgress: (each) => came.push(each.bytesReceived) })
    expect(came, 'nothing arrives twice').toEqual(came.toSorted((one, other) => one - other))
    expect(came.at(-1)).toBe(FILM.bytes.length)
    expect(Buffer.compare(await readFile(file?.path ?? ''), FILM.bytes)).toBe(0)
    const [output] = emulator.media.state.tasks[0]?.outputs ?? []
    expect(output).toMatchObject({ requests: 3, requestsWithCredentials: 0 })
  })

  it('downloads an output until its link expires', async () => {
    const folder = await scratch()
    const { media, clock } = await offline()
    const task = await media.textToVideo(request)
    await task.wait()
    await clock.advance(86_390_000)
    expect(await task.download({ folder })).toHaveLength(1)
    await clock.advance(10_000)
    expect(await rejection(task.download({ folder, nameOf: () => 'late' }))).toMatchObject({
      code: 'download',
      failure: 'expired',
    })
    expect(await readdir(folder)).toEqual([`${task.id}.mp4`])
  })
})
