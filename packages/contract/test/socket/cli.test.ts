import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { expect, it, vi } from 'vitest'

import { run } from '../../src/cli/run.ts'
import { createSocketSuite, mergeReports } from '../../src/index.ts'
import { feedFile, feedSubject } from '../fixture/feed/feed-client.ts'

vi.setConfig({ testTimeout: 60_000 })

const feed = fileURLToPath(feedFile)
const types = fileURLToPath(new URL('./types.yaml', feedFile))

function command(args: readonly string[], env: Record<string, string> = {}) {
  let out = ''
  let error = ''
  let stop = (): void => {}
  const stopped = new Promise<void>((resolve) => (stop = resolve))
  const code = run(args, {
    version: '0.0.0',
    env,
    out: (text) => void (out += text),
    error: (text) => void (error += text),
    stopped: () => stopped,
  })
  const url = (): Promise<string> =>
    vi.waitFor(() => {
      const found = /listening on (\S+)/.exec(out)?.[1]
      if (!found) throw new Error(`it does not listen: ${out} ${error}`)
      return found
    })
  return { code, url, stop, read: () => ({ out, error }) }
}

it('mock, proxy and verify work with WebSockets on the command line, and show no secret', async () => {
  // An AsyncAPI file doesn't need --sockets.
  const mock = command(['mock', '--spec', feed, '--port', '0'])
  const proxy = command(['proxy', '--spec', feed, '--sockets', '--port', '0', '--upstream', await mock.url()])
  const verify = command(
    [
      'verify',
      '--spec',
      feed,
      '--base-url',
      await proxy.url(),
      '--api-key-env',
      'key=FEED_KEY',
      '--listen-ms',
      '60',
      '--allow',
      'subscribe',
      'desk/hello',
      'desk/order',
    ],
    { FEED_KEY: 'a-secret-key' },
  )
  expect(await verify.code).toBe(0)
  expect(verify.read().out).toMatch(
    /pass +prices {2}WS \/v1\/prices\n +pass: as documented: subscribed \(101\)/,
  )
  expect(verify.read().out).toMatch(/pass +desk .*\n +pass: as documented: other \(101\)/)
  expect(verify.read().out).toContain('2 of 2 channels responded with a success\npassed')
  await vi.waitFor(() => expect(proxy.read().out).toContain('closed by the client with 1000'))
  proxy.stop()
  // The verification includes handshakes without a key and with another path.
  expect(await proxy.code).toBe(1)
  expect(proxy.read().out).toContain('3 violated the contract')
  mock.stop()
  expect(await mock.code).toBe(0)
  expect([mock, proxy, verify].map((one) => JSON.stringify(one.read())).join()).not.toContain('a-secret-key')
})

it('verify exits with 1 if the service denies it, with 2 for an unknown message, and with 3 without a service', async () => {
  const mock = command(['mock', '--spec', feed, '--sockets', '--port', '0', '--json'])
  const line = await vi.waitFor(() => {
    const { listening } = JSON.parse(mock.read().out.split('\n')[0] ?? '') as { listening: string }
    return listening
  })
  const base = ['verify', '--sockets', '--spec', feed, '--listen-ms', '20']
  const without = command([...base, '--base-url', line])
  expect(await without.code).toBe(1)
  expect(without.read().out).toMatch(/not run +prices.*\n.*\n.*needs a credential \(key, or token\)/)
  const wrong = command([...base, '--base-url', line, '--allow', 'news'])
  expect(await wrong.code).toBe(2)
  expect(wrong.read().error).toMatch(/no message news. It has subscribe, ping, order, hello\./)
  mock.stop()
  await mock.code
  const gone = command([...base, '--base-url', line, '--api-key-env', 'key=K'], { K: 'k' })
  expect(await gone.code).toBe(3)
  expect(gone.read().error).toMatch(/could not be reached: connect ECONNREFUSED/)
})

it('coverage lists channels, and compares a report with them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'contract-sockets-'))
  try {
    const listed = command(['coverage', '--spec', types, '--sockets', feed])
    expect(await listed.code).toBe(0)
    expect(listed.read().out).toContain('rule | prices | - | - | keepAlive: request')
    const suite = await createSocketSuite({ spec: feed, subject: feedSubject() })
    const file = join(folder, 'coverage.json')
    await writeFile(file, JSON.stringify(mergeReports(suite.report())))
    await suite.close()
    const held = command(['coverage', '--spec', types, '--sockets', feed, '--report', file])
    expect(await held.code).toBe(1)
  } finally {
    await rm(folder, { recursive: true })
  }
})
