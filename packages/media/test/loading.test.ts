import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

import { expect, it } from 'vitest'

const source = join(import.meta.dirname, '../src/index.ts')

/** Makes a program in which one file of the client is missing, runs it, and returns the error of `call` and what was sent. */
function runWithout(file: string, call: string): unknown {
  const hook = `import { registerHooks } from 'node:module'
    registerHooks({ resolve(specifier, context, next) {
      if (specifier.endsWith(${JSON.stringify(file)})) throw new Error('404')
      return next(specifier, context)
    } })`
  const program = `
    import { Media } from ${JSON.stringify(source)}
    let sent = 0
    const transport = {
      send({ control }) { sent += 1; control.sent = 'yes'; return Promise.reject(new Error('lost')) },
    }
    const media = new Media({ baseUrl: 'https://media.example', apiSecret: 'secret', transport })
    const error = await ${call}.catch((error) => error)
    console.log(JSON.stringify({ sent, code: error.code, at: error.sent, operation: error.operation }))`
  const options = ['--conditions=@concord/source', '--input-type=module', '--import']
  const output = execFileSync(
    process.execPath,
    [...options, `data:text/javascript,${encodeURIComponent(hook)}`, '--eval', program],
    { encoding: 'utf8' },
  )
  return JSON.parse(output)
}

const generation = `media.textToVideo({ model: 'gen4.5', promptText: 'a paper boat', duration: 5 })`

it.each(['/preparation.ts', '/poll-engine.ts'])(
  'sends no generation without the code in %s, which it or its wait needs',
  (file) => {
    expect(runWithout(file, generation)).toEqual({
      sent: 0,
      code: 'connection',
      at: 'no',
      operation: 'textToVideo',
    })
  },
)

it('sends no avatar if the code that makes its body is missing', () => {
  expect(runWithout('/request-body.ts', `media.avatars.create({ name: 'Ada' })`)).toEqual({
    sent: 0,
    code: 'connection',
    at: 'no',
    operation: 'createAvatar',
  })
})

it('reports a lost generation as uncertain if every part loads', () => {
  expect(runWithout('/no-such-file.ts', generation)).toMatchObject({
    sent: 1,
    code: 'submission-uncertain',
  })
})
