import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

import { expect, it } from 'vitest'

const source = join(import.meta.dirname, '../src/index.ts')

/** Makes a program in which one file of the client is missing, runs it, and returns the error of `call` and what was sent. */
function runWithout(file: string, call: string): unknown {
  const program = `
    import { registerHooks } from 'node:module'
    registerHooks({ resolve(specifier, context, next) {
      if (specifier.endsWith(${JSON.stringify(file)})) throw new Error('404')
      return next(specifier, context)
    } })
    const { Extraction } = await import(${JSON.stringify(source)})
    let sent = 0
    const transport = {
      send({ control }) { sent += 1; control.sent = 'yes'; return Promise.reject(new Error('lost')) },
    }
    const extraction = new Extraction({ baseUrl: 'https://extraction.example', apiKey: 'secret', transport })
    const error = await ${call}.catch((error) => error)
    console.log(JSON.stringify({ sent, code: error.code, at: error.sent, operation: error.operation }))`
  const args = ['--conditions=@concord/source', '--input-type=module', '--eval', program]
  return JSON.parse(execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' }))
}

const calls = [
  [
    `extraction.submit({ file: new Uint8Array([37, 80, 68, 70, 45]), filename: 'invoice.pdf' })`,
    'processDocument',
  ],
  [`extraction.job('7d4c1f0e-9f6b-4c56-8a35-1f5f0f1c2b3a').wait()`, 'getJob'],
  [`extraction.job('7d4c1f0e-9f6b-4c56-8a35-1f5f0f1c2b3a').changes().next()`, 'getJob'],
] as const

it.each(calls)('nothing is sent if the code that polls is missing: %s', (call, operation) => {
  expect(runWithout('/poll-engine.ts', call)).toEqual({ sent: 0, code: 'connection', at: 'no', operation })
})

it('a lost submission is reported as uncertain if every part loads', () => {
  expect(runWithout('/no-such-file.ts', calls[0][0])).toMatchObject({ sent: 1, code: 'submission-uncertain' })
})
