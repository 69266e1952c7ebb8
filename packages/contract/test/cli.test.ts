import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { createEmulator } from '@concord/emulator'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'

import { createContractSuite } from '../src/index.ts'
import { libraryFile, booksSubject } from './fixture/client.ts'
import { libraryKey, standIn } from './fixture/stand-in.ts'

// Tests with many exchanges must not time out on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const cli = fileURLToPath(new URL('../src/cli.ts', import.meta.url))
const library = fileURLToPath(libraryFile)
const running: ChildProcess[] = []
afterEach(() => {
  for (const child of running.splice(0)) if (child.exitCode === null) child.kill('SIGKILL')
})
let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'contract-cli-'))
})
afterAll(() => rm(folder, { recursive: true }))

interface Finished {
  readonly code: number | null
  readonly out: string
  readonly error: string
}

function start(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['--conditions=@concord/source', cli, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
  })
  running.push(child)
  let out = ''
  let error = ''
  child.stdout.on('data', (chunk) => (out += String(chunk)))
  child.stderr.on('data', (chunk) => (error += String(chunk)))
  const finished = new Promise<Finished>((resolve) =>
    child.on('close', (code) => resolve({ code, out, error })),
  )
  const line = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = pattern.exec(out)?.[1]
        if (found !== undefined) resolve(found)
      }
      child.stdout.on('data', look)
      child.on('close', () => reject(new Error(`it ended: ${error}`)))
    })
  return { child, finished, line }
}
const run = (args: readonly string[], env?: Record<string, string>): Promise<Finished> =>
  start(args, env).finished

describe('concord-contract verify', () => {
  it('finds that the served emulator conforms to the contract, and shows no key', async () => {
    await using emulator = await createEmulator({ seed: 'cli' })
    await using served = await emulator.serve()
    const { baseUrl: url, apiKey } = served.extraction
    const files = { junit: join(folder, 'verify.xml'), html: join(folder, 'verify.html') }
    const { code, out, error } = await run(
      [
        'verify',
        '--spec',
        'extraction',
        '--base-url',
        url,
        '--api-key-env',
        'KEY',
        '--junit',
        files.junit,
        '--html',
        files.html,
      ],
      { KEY: apiKey },
    )
    expect({ code, error }).toEqual({ code: 0, error: '' })
    expect(out).toMatch(/pass +listBlueprints +GET \/v1\/blueprints\//)
    expect(out).toMatch(/not run +processDocument/)
    expect(out).toMatch(/not run: as documented\n +- needs --param job_id=/)
    expect(emulator.extraction.state.jobs).toEqual([])
    for (const text of [out, await readFile(files.junit, 'utf8'), await readFile(files.html, 'utf8')]) {
      expect(text).not.toContain(apiKey)
      expect(text).toContain('listBlueprints')
    }
  })

  it('prints its version', async () => {
    const { code, out } = await run(['--version'])
    expect(code).toBe(0)
    expect(out).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  it('exits with 1 if the service violates the contract', async () => {
    await using service = await standIn(() => ({ json: 'nothing like it' }))
    const { code, out } = await run(['verify', '--spec', library, '--base-url', service.url, '--json'])
    expect(code).toBe(1)
    expect(JSON.parse(out)).toMatchObject({ passed: false })
  })

  it('accepts a key for each scheme, parameters, servers and files', async () => {
    await using service = await standIn()
    const file = join(folder, 'cover.png')
    await writeFile(file, 'png')
    const { code, out } = await run(
      [
        'verify',
        `--spec=${library}`,
        `--base-url=${service.url}`,
        '--api-key-env=apiKey=KEY',
        '--param=book_id=b1',
        `--server={files_url}=${service.url}`,
        `--file=image=${file}`,
        '--allow',
        'addBook',
        'removeBook',
        'putCover',
        '--json',
      ],
      { KEY: libraryKey },
    )
    expect(JSON.parse(out)).toMatchObject({
      passed: true,
      counts: { pass: 8, fail: 0, nothingShown: 0, notRun: 0 },
    })
    expect(code).toBe(0)
    expect(out).not.toContain(libraryKey)
  })

  it.each([
    ['no URL', ['--spec', 'extraction'], /--base-url/],
    [
      'an unknown spec',
      ['--spec', 'nothing', '--base-url', 'http://127.0.0.1:9'],
      /"nothing" is neither a contract .*extraction, .*media, .*speech, .*storage-auth\b/,
    ],
    [
      "a key that isn't set",
      ['--spec', 'extraction', '--base-url', 'http://127.0.0.1:9', '--api-key-env', 'NO_KEY'],
      /NO_KEY is not set/,
    ],
    [
      'a key without a scheme',
      ['--spec', library, '--base-url', 'http://127.0.0.1:9', '--api-key-env', 'KEY'],
      /apiKey=KEY or bearer=KEY/,
    ],
    [
      'a parameter without a value',
      ['--spec', 'extraction', '--base-url', 'http://127.0.0.1:9', '--param', 'job_id'],
      /Write it as name=value/,
    ],
    [
      'a missing file',
      ['--spec', 'extraction', '--base-url', 'http://127.0.0.1:9', '--file', 'file=/no/such/file'],
      /could not be read/,
    ],
  ])('exits with 2 for %s, and says what to do', async (_what, args, message) => {
    const { code, error } = await run(['verify', ...args])
    expect(code).toBe(2)
    expect(error).toMatch(message)
  })

  it("exits with 3 if the service can't be reached", async () => {
    const { code, error } = await run(['verify', '--spec', 'extraction', '--base-url', 'http://127.0.0.1:9'])
    expect(code).toBe(3)
    expect(error).toMatch(/127.0.0.1:9 could not be reached/)
  })
})

describe('concord-contract mock', () => {
  it('responds with examples, survives what would end Prism, and stops on request', async () => {
    const { child, finished, line } = start(['mock', '--spec', library, '--port', '0'])
    const url = await line(/listening on (\S+)/)
    const key = { 'x-library-key': 'any' }
    const book = await fetch(`${url}/v1/books/b1`, { headers: { ...key, prefer: 'example=lent' } })
    expect(await book.json()).toMatchObject({ state: 'lent' })
    expect((await fetch(`${url}/v1/books/b1`, { headers: { ...key, prefer: 'code=404' } })).status).toBe(404)
    const malformed = await fetch(`${url}/v1/books/b1/cover`, {
      method: 'PUT',
      headers: { ...key, 'content-type': 'multipart/form-data; boundary=b' },
      body: '--b\r\nX: y\r\n\r\nz\r\n--b--\r\n',
    })
    expect(malformed.status).toBe(400)
    const cover = await fetch(`${url}/v1/books/b1/cover`, { headers: key })
    expect((await cover.bytes()).length).toBeGreaterThan(256)
    expect(await upgrade(`${url}/v1/books/b1`)).toBe(501)
    child.kill('SIGTERM')
    const { code, out } = await finished
    expect(code).toBe(0)
    expect(out).toMatch(/ok +GET \/v1\/books\/\{book_id\} 200\n/)
    expect(out).toMatch(/BROKEN PUT .* 400\n +request.body: malformed multipart/)
  })

  it('exits with 2 if the port is taken', async () => {
    await using service = await standIn()
    const { code, error } = await run(['mock', '--spec', library, '--port', new URL(service.url).port])
    expect(code).toBe(2)
    expect(error).toMatch(/Can't listen on.*Choose another port/)
  })
})

describe('concord-contract proxy', () => {
  async function through(response: Parameters<typeof standIn>[0], query = 'sort=title'): Promise<Finished> {
    await using service = await standIn(response)
    const { child, finished, line } = start([
      'proxy',
      '--spec',
      library,
      '--upstream',
      service.url,
      '--port',
      '0',
    ])
    const url = await line(/listening on (\S+)/)
    const headers = { 'x-library-key': libraryKey }
    await (await fetch(`${url}/v1/books/?${query}`, { headers })).arrayBuffer()
    child.kill('SIGINT')
    return finished
  }

  it('forwards what conforms to the contract, and exits with 0', async () => {
    const { code, out } = await through(undefined)
    expect(out).toMatch(/1 exchanges, 0 violated the contract/)
    expect(code).toBe(0)
  })

  it('exits with 1 if either side violates it, and shows no content', async () => {
    const response = await through(() => ({ json: { items: libraryKey } }))
    expect(response.out).toMatch(
      /BROKEN GET \/v1\/books\/ 200\n +response.body: must have required property 'next'/,
    )
    expect(response.code).toBe(1)
    const request = await through(undefined, 'sort=size')
    expect(request.out).toMatch(/request.query.sort/)
    expect(request.code).toBe(1)
    expect(response.out + request.out).not.toContain(libraryKey)
  })

  it('forwards bytes unchanged in both directions', async () => {
    const bytes = new Uint8Array([255, 254, 0, 13, 10])
    await using service = await standIn(() => ({ body: bytes, headers: { 'content-type': 'image/png' } }))
    const { line } = start(['proxy', '--spec', library, '--upstream', service.url, '--port', '0', '--json'])
    const url = await line(/"listening":"(\S+?)"/)
    const response = await fetch(`${url}/v1/books/b1/cover`, { method: 'PUT', body: bytes })
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes)
    expect(service.asked[0]?.body.equals(Buffer.from(bytes))).toBe(true)
  })
})

describe('concord-contract proxy --har, replay and check', () => {
  it("record, serve and check the same exchanges, and exit with 1 if one doesn't match", async () => {
    const har = join(folder, 'deep/session.har')
    const headers = { 'x-library-key': libraryKey }
    {
      await using service = await standIn()
      const proxy = start([
        'proxy',
        '--spec',
        library,
        '--upstream',
        service.url,
        '--port',
        '0',
        '--har',
        har,
      ])
      const url = await proxy.line(/listening on (\S+)/)
      await (await fetch(`${url}/v1/books/?sort=title`, { headers })).arrayBuffer()
      proxy.child.kill('SIGTERM')
      const { code, out } = await proxy.finished
      expect(code).toBe(0)
      expect(out).toMatch(/1 entries recorded in .*session.har/)
    }
    const text = await readFile(har, 'utf8')
    expect(text).not.toContain(libraryKey)
    const replay = start(['replay', har, '--port', '0'])
    const url = await replay.line(/listening on (\S+)/)
    expect(await (await fetch(`${url}/v1/books/?sort=title`)).json()).toHaveProperty('items')
    expect((await fetch(`${url}/v1/books/?sort=year`)).status).toBe(501)
    replay.child.kill('SIGTERM')
    expect(await replay.finished).toMatchObject({
      code: 1,
      out: expect.stringMatching(
        /ok +GET \/v1\/books\/ 200\nUNKNOWN GET \/v1\/books\/ 501\n.*query differs in sort/,
      ),
    })
    const junit = join(folder, 'check.xml')
    const checked = await run(['check', har, '--spec', library, '--junit', junit])
    expect(checked).toMatchObject({
      code: 0,
      out: expect.stringMatching(/1 checked, 0 violated the contract; 0 don't belong/),
    })
    expect(await readFile(junit, 'utf8')).toContain('#1 GET /v1/books/ 200')
    await writeFile(har, text.replaceAll('"sort=title"', '"sort=size"').replaceAll('sort=title', 'sort=size'))
    const broken = await run(['check', har, '--spec', library])
    expect(broken).toMatchObject({
      code: 1,
      out: expect.stringMatching(/BROKEN #1 .*\n +request.query.sort: must be one of/),
    })
    const none = await run(['check', har, '--spec', library, '--base-url', 'https://other.example'])
    expect(none).toMatchObject({
      code: 1,
      out: expect.stringMatching(/nothing in the recording belongs to the contract/),
    })
  })

  it("exit with 2 for a file that isn't HAR", async () => {
    const { code, error } = await run(['replay', library])
    expect(code).toBe(2)
    expect(error).toMatch(/could not be read as HAR.*proxy --har/)
  })
})

describe('concord-contract coverage', () => {
  it('lists what a contract documents', async () => {
    const { code, out } = await run(['coverage', '--spec', 'extraction'])
    expect(code).toBe(0)
    expect(out).toMatch(
      /response \| getJob \| 404 \| application\/json \| unknown_job: mock, dynamic, emulator, validators/,
    )
  })

  it('with a report, exits with 1 if something is missing, and writes the page and JUnit', async () => {
    const suite = await createContractSuite({ spec: libraryFile.href, subject: booksSubject() })
    const report = join(folder, 'report.json')
    try {
      await suite.checks[0]?.run()
      await writeFile(report, JSON.stringify(suite.report()))
    } finally {
      await suite.close()
    }
    const files = { html: join(folder, 'deep/page.html'), junit: join(folder, 'deep/junit.xml') }
    const { code, out } = await run([
      'coverage',
      '--spec',
      library,
      '--report',
      report,
      '--html',
      files.html,
      '--junit',
      files.junit,
    ])
    expect(code).toBe(1)
    expect(out).toMatch(/request +1 of 19 /)
    expect(out).toMatch(/not covered: response \| getBook \| 404/)
    expect(await readFile(files.html, 'utf8')).toMatch(/^<!doctype html>/)
    expect(await readFile(files.junit, 'utf8')).toMatch(/^<\?xml/)
  })

  it.each([
    ['a report that is not there', ['--report', '/no/such/report.json']],
    ['a page without a report', ['--html', '/tmp/page.html']],
  ])('exits with 2 for %s', async (_what, args) => {
    expect((await run(['coverage', '--spec', 'extraction', ...args])).code).toBe(2)
  })
})

it('explains its exit codes', async () => {
  const { code, out } = await run(['--help'])
  expect(code).toBe(0)
  expect(out).toMatch(/Exit codes: 0 passed; 1 .*; 2 .*; 3 /s)
})

it('exits with 2 for an unknown command', async () => {
  expect((await run(['nothing'])).code).toBe(2)
})

function upgrade(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers: { connection: 'Upgrade', upgrade: 'websocket' } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    request.on('upgrade', (response) => resolve(response.statusCode)).on('error', reject)
  })
}
