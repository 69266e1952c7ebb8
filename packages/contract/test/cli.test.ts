import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { createEmulator } from '@concord/emulator'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

import { createContractSuite } from '../src/index.ts'
import { libraryFile, booksSubject } from './fixture/client.ts'
import { command, finished } from './fixture/command.ts'
import { temporaryFile, temporaryPath } from './fixture/local.ts'
import { libraryKey, standIn } from './fixture/stand-in.ts'

const library = fileURLToPath(libraryFile)
const nowhere = '--base-url http://127.0.0.1:9'

/** Starts the program in a process of its own. */
function start(line: string) {
  const cli = fileURLToPath(new URL('../src/cli.ts', import.meta.url))
  const child = spawn(process.execPath, ['--conditions=@concord/source', cli, ...line.split(' ')], {
    env: { PATH: process.env['PATH'], KEY: 'a-key' },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let out = ''
  child.stdout.on('data', (chunk) => (out += String(chunk)))
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, out }))
  return { child, ended, read: () => out }
}

describe('concord-contract as a process', () => {
  it('prints its version', async () => {
    const { code, out } = await start('--version').ended
    expect(code).toBe(0)
    expect(out).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  it.each([
    ['2 for an unknown command', 'nothing', 2],
    [
      '3 for a missing service, with a key of its environment',
      `verify --spec extraction ${nowhere} --api-key-env KEY`,
      3,
    ],
  ])('exits with %s', async (_what, line, code) => {
    expect((await start(line).ended).code).toBe(code)
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('stops a server after %s', async (signal) => {
    const { child, ended, read } = start(`mock --spec ${library} --port 0`)
    await vi.waitFor(() => expect(read()).toContain('is listening on'), 30_000)
    child.kill(signal)
    expect((await ended).code).toBe(0)
  })
})

it('explains its exit codes', async () => {
  const { code, out } = await finished('--help')
  expect(code).toBe(0)
  expect(out).toMatch(/Exit codes: 0: passed; 1: .*; 2: .*; 3: /s)
})

describe('concord-contract verify', () => {
  it('finds that the served emulator conforms to the contract, and shows no key', async () => {
    await using emulator = await createEmulator({ seed: 'cli' })
    await using served = await emulator.serve()
    const { baseUrl: url, apiKey } = served.extraction
    const [junit, html] = [temporaryPath('verify.xml'), temporaryPath('verify.html')]
    const { code, out, error } = await finished(
      `verify --spec extraction --base-url ${url} --api-key-env KEY --junit ${junit} --html ${html}`,
      { KEY: apiKey },
    )
    expect({ code, error }).toEqual({ code: 0, error: '' })
    expect(out).toMatch(/pass +listBlueprints +GET \/v1\/blueprints\//)
    expect(out).toMatch(/not run +processDocument/)
    expect(out).toMatch(/not run: as documented\n +- needs --param job_id=/)
    expect(emulator.extraction.state.jobs).toEqual([])
    for (const text of [out, await readFile(junit, 'utf8'), await readFile(html, 'utf8')]) {
      expect(text).not.toContain(apiKey)
      expect(text).toContain('listBlueprints')
    }
  })

  it('exits with 1 if the service violates the contract', async () => {
    await using service = await standIn(() => ({ json: 'nothing like it' }))
    const { code, out } = await finished(`verify --spec ${library} --base-url ${service.url} --json`)
    expect(code).toBe(1)
    expect(JSON.parse(out)).toMatchObject({ passed: false })
  })

  it('accepts a key for each scheme, parameters, servers and files', async () => {
    await using service = await standIn()
    const words = [
      `verify --spec=${library} --base-url=${service.url} --api-key-env=apiKey=KEY`,
      `--param=book_id=b1 --server={files_url}=${service.url} --file=image=${temporaryFile('cover.png', 'png')}`,
      '--allow addBook removeBook putCover --json',
    ]
    const { code, out } = await finished(words.join(' '), { KEY: libraryKey })
    expect(JSON.parse(out)).toMatchObject({
      passed: true,
      counts: { pass: 8, fail: 0, nothingShown: 0, notRun: 0 },
    })
    expect(code).toBe(0)
    expect(out).not.toContain(libraryKey)
  })

  it.each([
    ['no URL', '--spec extraction', /--base-url/],
    ['an unknown spec', `--spec nothing ${nowhere}`, /"nothing" is neither a contract /],
    ["a key that isn't set", `--spec extraction ${nowhere} --api-key-env NO_KEY`, /`NO_KEY` is not set/],
    [
      'a key without a scheme',
      `--spec ${library} ${nowhere} --api-key-env KEY`,
      /apiKey=KEY` or `--api-key-env bearer=KEY`/,
    ],
    [
      'a parameter without a value',
      `--spec extraction ${nowhere} --param job_id`,
      /Write the argument as `name=value`/,
    ],
    ['a missing file', `--spec extraction ${nowhere} --file file=/no/such/file`, /could not be read/],
  ])('exits with 2 for %s, and says what to do', async (_what, words, message) => {
    const { code, error } = await finished(`verify ${words}`)
    expect(code).toBe(2)
    expect(error).toMatch(message)
  })

  it("exits with 3 if the service can't be reached", async () => {
    const { code, error } = await finished(`verify --spec extraction ${nowhere}`)
    expect(code).toBe(3)
    expect(error).toMatch(/127.0.0.1:9 could not be reached/)
  })
})

describe('concord-contract mock', () => {
  it('responds with examples, survives what would end Prism, and prints every exchange', async () => {
    const mock = command(`mock --spec ${library} --port 0`)
    const url = await mock.url()
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
    expect(await mock.stop()).toBe(0)
    expect(mock.printed.out).toMatch(/ok +GET \/v1\/books\/\{book_id\} 200\n/)
    expect(mock.printed.out).toMatch(/BROKEN PUT .* 400\n +request.body: malformed multipart/)
  })

  it('exits with 2 if the port is taken', async () => {
    await using service = await standIn()
    const { code, error } = await finished(`mock --spec ${library} --port ${new URL(service.url).port}`)
    expect(code).toBe(2)
    expect(error).toMatch(/Can't listen on.*Choose another port/)
  })
})

describe('concord-contract proxy', () => {
  async function through(response: Parameters<typeof standIn>[0], query = 'sort=title') {
    await using service = await standIn(response)
    const proxy = command(`proxy --spec ${library} --upstream ${service.url} --port 0`)
    const headers = { 'x-library-key': libraryKey }
    await (await fetch(`${await proxy.url()}/v1/books/?${query}`, { headers })).arrayBuffer()
    return { code: await proxy.stop(), out: proxy.printed.out }
  }

  it('forwards what conforms to the contract, and exits with 0', async () => {
    const { code, out } = await through(undefined)
    expect(out).toMatch(/^1 exchange; 0 violated the contract/m)
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
    const proxy = command(`proxy --spec ${library} --upstream ${service.url} --port 0 --json`)
    const response = await fetch(`${await proxy.url()}/v1/books/b1/cover`, { method: 'PUT', body: bytes })
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes)
    expect(service.asked[0]?.body.equals(Buffer.from(bytes))).toBe(true)
    await proxy.stop()
  })
})

describe('concord-contract proxy --har, replay and check', () => {
  it("record, serve and check the same exchanges, and exit with 1 if one doesn't match", async () => {
    const har = temporaryPath('deep/session.har')
    await using service = await standIn()
    const proxy = command(`proxy --spec ${library} --upstream ${service.url} --port 0 --har ${har}`)
    const headers = { 'x-library-key': libraryKey }
    await (await fetch(`${await proxy.url()}/v1/books/?sort=title`, { headers })).arrayBuffer()
    expect(await proxy.stop()).toBe(0)
    expect(proxy.printed.out).toMatch(/1 entry recorded in .*session.har/)
    const text = await readFile(har, 'utf8')
    expect(text).not.toContain(libraryKey)
    const replay = command(`replay ${har} --port 0`)
    const url = await replay.url()
    expect(await (await fetch(`${url}/v1/books/?sort=title`)).json()).toHaveProperty('items')
    expect((await fetch(`${url}/v1/books/?sort=year`)).status).toBe(501)
    expect(await replay.stop()).toBe(1)
    expect(replay.printed.out).toMatch(
      /ok +GET \/v1\/books\/ 200\nUNKNOWN GET \/v1\/books\/ 501\n.*query differs in sort/,
    )
    const junit = temporaryPath('check.xml')
    const checked = await finished(`check ${har} --spec ${library} --junit ${junit}`)
    expect(checked).toMatchObject({
      code: 0,
      out: expect.stringMatching(/1 checked, 0 violated the contract; 0 not in the contract/),
    })
    expect(await readFile(junit, 'utf8')).toContain('#1 GET /v1/books/ 200')
    await writeFile(har, text.replaceAll('"sort=title"', '"sort=size"').replaceAll('sort=title', 'sort=size'))
    expect(await finished(`check ${har} --spec ${library}`)).toMatchObject({
      code: 1,
      out: expect.stringMatching(/BROKEN #1 .*\n +request.query.sort: must be one of/),
    })
    expect(await finished(`check ${har} --spec ${library} --base-url https://other.example`)).toMatchObject({
      code: 1,
      out: expect.stringMatching(/nothing in the recording belongs to the contract/),
    })
  })

  it("exit with 2 for a file that isn't HAR", async () => {
    const { code, error } = await finished(`replay ${library}`)
    expect(code).toBe(2)
    expect(error).toMatch(/could not be read as HAR.*proxy --har/)
  })
})

describe('concord-contract coverage', () => {
  it('lists what a contract documents', async () => {
    const { code, out } = await finished('coverage --spec extraction')
    expect(code).toBe(0)
    expect(out).toMatch(
      /response \| getJob \| 404 \| application\/json \| unknown_job: mock, dynamic, emulator, validators/,
    )
  })

  it('with a report, exits with 1 if something is missing, and writes the page and JUnit', async () => {
    const suite = await createContractSuite({ spec: libraryFile.href, subject: booksSubject() })
    await suite.checks[0]?.run()
    const report = temporaryFile('report.json', suite.report())
    await suite.close()
    const folder = temporaryPath('deep')
    const [html, junit] = [join(folder, 'page.html'), join(folder, 'junit.xml')]
    const { code, out } = await finished(
      `coverage --spec ${library} --report ${report} --html ${html} --junit ${junit}`,
    )
    expect(code).toBe(1)
    expect(out).toMatch(/request +1 of 19 /)
    expect(out).toMatch(/not covered: response \| getBook \| 404/)
    expect(await readFile(html, 'utf8')).toMatch(/^<!doctype html>/)
    expect(await readFile(junit, 'utf8')).toMatch(/^<\?xml/)
  })

  it.each([
    ['a missing report', '--report /no/such/report.json'],
    ['a page without a report', '--html /tmp/page.html'],
  ])('exits with 2 for %s', async (_what, words) => {
    expect((await finished(`coverage --spec extraction ${words}`)).code).toBe(2)
  })
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
