import { callWithout } from '@concord/contract-kit/missing-file'
import { expect, it } from 'vitest'

const client = {
  folder: import.meta.dirname,
  setUp: `const extraction = new exported.Extraction({ baseUrl: 'https://extraction.example', apiKey: 'secret', transport })`,
}
const calls = [
  [
    `extraction.submit({ file: new Uint8Array([37, 80, 68, 70, 45]), filename: 'invoice.pdf' })`,
    'processDocument',
  ],
  [`extraction.job('7d4c1f0e-9f6b-4c56-8a35-1f5f0f1c2b3a').wait()`, 'getJob'],
  [`extraction.job('7d4c1f0e-9f6b-4c56-8a35-1f5f0f1c2b3a').changes().next()`, 'getJob'],
] as const

it.each(calls)('sends nothing if the code that polls is missing: %s', (call, operation) => {
  const found = callWithout('/poll-engine.ts', { ...client, call })

  expect(found).toEqual({ attempts: 0, code: 'connection', sent: 'no', operation })
})

it('reports a lost submission as uncertain if every part loads', () => {
  const found = callWithout('/no-such-file.ts', { ...client, call: calls[0][0] })

  expect(found).toMatchObject({ attempts: 1, code: 'submission-uncertain' })
})
