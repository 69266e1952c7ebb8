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
    const { memoryTokenStore } = await import('@concord/runtime/session')
    const { StorageAuth } = await import(${JSON.stringify(source)})
    let sent = 0
    const transport = {
      send({ control }) { sent += 1; control.sent = 'yes'; return Promise.reject(new Error('lost')) },
    }
    const store = memoryTokenStore()
    const stored = { accessToken: 'access', refreshToken: 'refresh', obtainedAtMs: Date.now() - 3_600_000, expiresAtMs: Date.now() - 1 }
    await store.exclusive((held) => held.write(stored))
    const servers = { authUrl: 'https://auth.storage.example', dataUrl: 'https://data.storage.example' }
    const storage = new StorageAuth({ ...servers, apiKey: 'key', store, transport })
    const error = await (${call})(storage).catch((error) => error)
    const { presented = 0 } = await store.read()
    console.log(JSON.stringify({ sent, presented, code: error.code, at: error.sent, operation: error.operation }))`
  const args = ['--conditions=@concord/source', '--input-type=module', '--eval', program]
  return JSON.parse(execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' }))
}

const refresh = `async (storage) => (await storage.resume()).refresh()`
const request = `(storage) => storage.withApiKey().fetch('/v1/projects')`

it.each([
  ['/refresh-run.ts', refresh, 'refresh'],
  ['/authorized-request.ts', request, 'fetch'],
])('nothing is sent and no refresh token presented without the code in %s', (file, call, operation) => {
  expect(runWithout(file, call)).toEqual({ sent: 0, presented: 0, code: 'connection', at: 'no', operation })
})

it.each([refresh, request])('a request is sent if every part loads: %s', (call) => {
  expect(runWithout('/no-such-file.ts', call)).toMatchObject({ sent: 1 })
})
