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
      const found = /listens on (\S+)/.exec(out)?.[1]
      if (!found) throw new Error(`it does not listen: ${out} ${error}`)
      return found
    })
  return { code, url, stop, read: () => ({ out, error }) }
}

it('mock, proxy and play work on sockets from the command line, and show no secret', async () => {
  const mock = command(['mock', '--spec', feed, '--sockets', '--port', '0'])
  const proxy = command(['proxy', '--spec', feed, '--sockets', '--port', '0', '--upstream', await mock.url()])
  const play = command(
    [
      'play',
      '--spec',
      feed,
      '--base-url',
      await proxy.url(),
      '--api-key-env',
      'key=FEED_KEY',
      '--listen-ms',
      '60',
    ],
    { FEED_KEY: 'a-secret-key' },
  )
  expect(await play.code).toBe(0)
  expect(play.read().out).toContain('prices: received subscribed, update; 0 findings')
  expect(play.read().out).toContain('desk: received other; 0 findings')
  await vi.waitFor(() => expect(proxy.read().out).toContain('closed by the client with 1000'))
  proxy.stop()
  expect(await proxy.code).toBe(0)
  expect(proxy.read().out).toContain('0 of them broke the contract')
  mock.stop()
  expect(await mock.code).toBe(0)
  expect([mock, proxy, play].map((one) => JSON.stringify(one.read())).join()).not.toContain('a-secret-key')
})

it('play exits with 1 if the service denies it, and with 2 for an unknown channel', async () => {
  const mock = command(['mock', '--spec', feed, '--sockets', '--port', '0', '--json'])
  const line = await vi.waitFor(() => {
    const { listening } = JSON.parse(mock.read().out.split('\n')[0] ?? '') as { listening: string }
    return listening
  })
  expect(await command(['play', '--spec', feed, '--base-url', line, '--channel', 'desk']).code).toBe(1)
  const wrong = command(['play', '--spec', feed, '--base-url', line, '--channel', 'news'])
  expect(await wrong.code).toBe(2)
  expect(wrong.read().error).toContain('There is no channel news.')
  mock.stop()
  await mock.code
})

it('coverage lists sockets, and holds a report to them', async () => {
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
