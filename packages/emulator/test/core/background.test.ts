import { expect, it } from 'vitest'

import type { ExtractionOptions, MediaOptions } from '../../src/index.ts'
import { startMedia } from '../support/media.ts'
import { pdfFile, startExtraction } from '../support/extraction.ts'

const fail = (): never => {
  throw new TypeError('my mistake')
}
const recordLog = () => {
  const errors: string[] = []
  const log = (level: string, message: string) => void (level === 'error' && errors.push(message))
  return { errors, log }
}

const webhook_url = 'https://hooks.example/'
const jobChoices: [name: string, status: string, choices: NonNullable<ExtractionOptions['choices']>][] = [
  ['courseOf', 'failed', { courseOf: ({ status }) => (status === 'processing' ? fail() : {}) }],
  ['findFields', 'failed', { findFields: fail }],
  ['webhook', 'completed', { webhook: fail }],
]

it.each(jobChoices)(
  'an extraction job whose choice `%s` fails is %s, and the log names the choice and the operation',
  async (name, status, own) => {
    const { errors, log } = recordLog()
    await using service = await startExtraction(
      { choices: own, webhookFetch: async () => new Response() },
      { log },
    )
    const job = await service.process({ file: await pdfFile(['Hello']), schema: '{}', webhook_url })
    expect(job.status).toBe(status)
    const operation = name === 'webhook' ? 'jobCompleted' : 'processDocument'
    const message = `During \`${operation}\`, the choice \`${name}\` of \`extraction\` threw an error: my mistake`
    if (status === 'failed') expect(job.error).toContain(message)
    else expect(job.webhook_delivered).toBe(false)
    expect(errors).toEqual([expect.stringMatching(/\n +at .*background\.test\.ts/)])
    expect(errors[0]).toContain(`extraction: ${operation}: `)
    expect(errors[0]).toContain(`${message}\nTypeError: my mistake`)
    expect((await service.call('/v1/pipelines')).status).toBe(200)
  },
)

it('an optimization run whose choice `iterate` fails is failed, and the log names the choice and the operation', async () => {
  const { errors, log } = recordLog()
  await using service = await startExtraction({ choices: { iterate: fail } }, { log })
  const run = await service.json('/v1/optimize', { json: {} })
  await service.control.clock.advance(10_000)
  expect(service.emulator.extraction.state.optimizations).toMatchObject([{ status: 'failed' }])
  expect(errors).toEqual([
    expect.stringContaining(
      `extraction: startOptimization: optimization job ${String(run['job_id'])}: During \`startOptimization\`, the choice \`iterate\` of \`extraction\` threw an error: my mistake`,
    ),
  ])
})

const taskChoices: [name: string, choices: NonNullable<MediaOptions['choices']>][] = [
  ['courseOf', { courseOf: ({ status }) => (status === 'RUNNING' ? fail() : {}) }],
  ['countTask', { countTask: ({ status }) => (status === 'SUCCEEDED' ? fail() : {}) }],
  ['outputFiles', { outputFiles: fail }],
]

it.each(taskChoices)(
  'a media task whose choice `%s` fails has a `failure` with the choice and the operation, as has the log',
  async (name, own) => {
    const { errors, log } = recordLog()
    await using media = await startMedia({ choices: own }, { log })
    const [id, next] = [await media.submit(), await media.submit()]
    await media.control.clock.advance(4_000)
    const message = `During \`textToImage\`, the choice \`${name}\` of \`media\` threw an error: my mistake`
    expect(await media.task(id)).toEqual({ id, status: 'FAILED', failure: message })
    expect(errors[0]).toMatch(new RegExp(`^media: textToImage: task ${id}: ${message}\nTypeError`))
    expect((await media.task(next)).status).not.toBe('THROTTLED')
  },
)
