import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

import { expect, it } from 'vitest'

const source = join(import.meta.dirname, 'client.ts')

/** Runs a program in which a file of the client is missing, and returns what it printed. */
function runWithout(file: string, program: string): string {
  const hook = `import { registerHooks } from 'node:module'
    registerHooks({ resolve(specifier, context, next) {
      if (specifier.endsWith(${JSON.stringify(file)})) throw new Error('404')
      return next(specifier, context)
    } })`
  const options = ['--conditions=@concord/source', '--input-type=module', '--import']
  return execFileSync(
    process.execPath,
    [...options, `data:text/javascript,${encodeURIComponent(hook)}`, '--eval', program],
    { encoding: 'utf8' },
  )
}

const program = `
import { createClient } from ${JSON.stringify(source)}
let sent = 0
const transport = {
  send({ control }) { sent += 1; control.sent = 'yes'; return Promise.reject(new Error('lost')) },
}
const client = createClient({ servers: { default: 'https://api.example.com' }, transport })
const buy = { id: 'buy', method: 'POST', path: '/buy', server: 'default', security: [], parameters: [],
  responses: {}, retry: { class: 'unsent-only' }, secrets: [] }
const error = await client.send(buy, {}).catch((error) => error)
console.log(JSON.stringify({ sent, code: error.code, at: error.sent, operation: error.operation }))`

it('R-21: sends nothing if the code that evaluates failures is missing, since it could not report the outcome', () => {
  expect(JSON.parse(runWithout('/failure.ts', program))).toEqual({
    sent: 0,
    code: 'connection',
    at: 'no',
    operation: 'buy',
  })
})

it('R-21: sends the request if every part loads', () => {
  expect(JSON.parse(runWithout('/no-such-file.ts', program))).toMatchObject({
    sent: 1,
    code: 'submission-uncertain',
  })
})
