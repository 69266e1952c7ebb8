import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

import { expect, it } from 'vitest'

const source = join(import.meta.dirname, '../src/index.ts')

/** Makes a program in which one file of the client is missing, runs it, and returns the error of `call` and what was opened. */
function runWithout(file: string, call: string): unknown {
  const hook = `import { registerHooks } from 'node:module'
    registerHooks({ resolve(specifier, context, next) {
      if (specifier.endsWith(${JSON.stringify(file)})) throw new Error('404')
      return next(specifier, context)
    } })`
  const program = `
    import { Speech } from ${JSON.stringify(source)}
    let opened = 0
    const socketFactory = () => { opened += 1; throw new Error('lost') }
    const speech = new Speech({ apiUrl: 'https://speech.example', apiKey: 'secret', socketFactory })
    const error = await ${call}.catch((error) => error)
    console.log(JSON.stringify({ opened, code: error.code, at: error.sent, operation: error.operation }))`
  const options = ['--conditions=@concord/source', '--input-type=module', '--import']
  const output = execFileSync(
    process.execPath,
    [...options, `data:text/javascript,${encodeURIComponent(hook)}`, '--eval', program],
    { encoding: 'utf8' },
  )
  return JSON.parse(output)
}

it.each([
  [`speech.listen({ model: 'nova-3' })`, 'liveTranscription'],
  [`speech.speakStream('Hello', { spoken: 'close' }).next()`, 'speechStream'],
])('opens no connection if the code of WebSockets is missing: %s', (call, operation) => {
  expect(runWithout('/socket-flows.ts', call)).toEqual({
    opened: 0,
    code: 'connection',
    at: 'no',
    operation,
  })
})

it('opens a connection if every part loads', () => {
  expect(runWithout('/no-such-file.ts', `speech.listen({ model: 'nova-3' })`)).toMatchObject({ opened: 1 })
})
