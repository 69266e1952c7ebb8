import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it, onTestFinished } from 'vitest'

import * as emulatorPackage from '../../src/index.ts'
import { SERVICE_NAMES } from '../../src/services.ts'

const folder = mkdtempSync(join(tmpdir(), 'concord-emulator-'))
afterAll(() => rmSync(folder, { recursive: true }))

interface Running {
  child: ChildProcess
  stdout: () => string
  stderr: () => string
  /** Resolves with the first whole line on standard output. */
  line: Promise<string>
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

function run(...args: string[]): Running {
  const child = spawn(process.execPath, ['--conditions=@concord/source', 'src/cli.ts', ...args], {
    cwd: new URL('../..', import.meta.url),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.on('close', (code, signal) => resolve({ code, signal })),
  )
  const line = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (data: Buffer) => {
      stdout += data.toString()
      if (stdout.includes('\n')) resolve(stdout.slice(0, stdout.indexOf('\n')))
    })
    void ended.then(() => reject(new Error(`It ended without a line: ${stderr}`)))
  })
  line.catch(() => {})
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString()))
  onTestFinished(() => void (child.exitCode === null && child.kill('SIGKILL')))
  return { child, stdout: () => stdout, stderr: () => stderr, line, ended }
}

async function printedTable({ stdout, line }: Running): Promise<void> {
  await line
  while (!stdout().includes('Ctrl+C')) await new Promise((resolve) => setImmediate(resolve))
}

interface Printed {
  pid: number
  extraction: { baseUrl: string; apiKey: string }
}

it.each(['SIGTERM', 'SIGINT'] as const)(
  'concord-emulator --json prints one line, serves, and exits immediately on %s, even with a hanging request',
  async (signal) => {
    const emulator = run('--json', '--control')
    const { pid, extraction } = JSON.parse(await emulator.line) as Printed
    expect(pid).toBe(emulator.child.pid)
    expect(extraction.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    const headers = { 'x-api-key': extraction.apiKey }
    expect((await fetch(`${extraction.baseUrl}/v1/blueprints/`, { headers })).status).toBe(200)
    await fetch(`${extraction.baseUrl}/_control/add-fault`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'stall', when: 'mid-body' }),
    })
    const hanging = (await fetch(`${extraction.baseUrl}/v1/pipelines`)).text()
    const broken = expect(hanging).rejects.toThrow()
    emulator.child.kill(signal)
    expect(await emulator.ended).toEqual({ code: 0, signal: null })
    await broken
    expect(emulator.stdout().split('\n')).toEqual([expect.any(String), ''])
    await expect(fetch(`${extraction.baseUrl}/v1/pipelines`)).rejects.toThrow()
  },
)

it('concord-emulator --json logs to standard error only', async () => {
  const emulator = run('--json')
  const { extraction } = JSON.parse(await emulator.line) as Printed
  const headers = { 'x-api-key': extraction.apiKey, 'content-type': 'application/json' }
  await fetch(`${extraction.baseUrl}/v1/optimize`, { method: 'POST', headers, body: '[]' })
  emulator.child.kill()
  await emulator.ended
  expect(emulator.stderr()).toContain(
    'warn: extraction: the contract rejects a request for startOptimization',
  )
  expect(emulator.stdout()).not.toContain('warn')
  expect(emulator.stderr()).not.toContain(extraction.apiKey)
})

it('concord-emulator --json prints base URLs for clients on this machine when it listens on all interfaces, and the credentials that were set', async () => {
  const set = ['--set', 'media.apiSecrets=my-secret', '--set', 'speech.apiKeys=my-key']
  const emulator = run('--json', '--host', '0.0.0.0', ...set)
  const { media, speech } = JSON.parse(await emulator.line) as Record<string, Record<string, string>>
  expect(media).toEqual({
    baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    apiSecret: 'my-secret',
  })
  expect(speech?.['apiKey']).toBe('my-key')
  expect((await fetch(`${media?.['baseUrl']}/_health`)).status).toBe(200)
})

it('concord-emulator --json accepts a key, a plan, a seed, a port, a host and choices', async () => {
  const choices = join(folder, 'choices.mjs')
  writeFileSync(
    choices,
    'export default { extraction: { successResponse: ({ operation, value, body }) => ({ body: operation === "listPipelines" ? value : body }) } }',
  )
  const port = await freePort()
  const options = ['--api-key', 'my-key', '--plan', 'free', '--seed', '7', '--host', '127.0.0.1']
  const emulator = run('--json', '--port', `extraction=${port}`, '--choices', choices, ...options)
  const { extraction } = JSON.parse(await emulator.line) as Printed
  expect(extraction).toEqual({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'my-key' })
  const response = await fetch(`${extraction.baseUrl}/v1/blueprints/`, {
    headers: { 'x-api-key': 'my-key' },
  })
  expect(response.headers.get('x-emulator-pages-per-month')).toBe('2000')
  expect(await (await fetch(`${extraction.baseUrl}/v1/pipelines`)).json()).toEqual(['standard', 'searchable'])
  expect((await fetch(`${extraction.baseUrl}/_control/state`)).status).toBe(404)
})

it('concord-emulator prints a table without --json', async () => {
  const emulator = run('--api-key', 'my-key', '--control')
  await printedTable(emulator)
  expect(emulator.stdout()).toMatch(
    /^Service +Base URL +Credentials\nextraction +http:\/\/127\.0\.0\.1:\d+ +my-key\n/,
  )
  expect(emulator.stdout()).toContain('/_control/state')
})

it('concord-emulator serves the requested services, each with its base URLs and credentials', async () => {
  const options = ['--service', 'speech', '--service', 'storage-auth', '--set', 'speech.apiKeys=my-key']
  const emulator = run(...options)
  await printedTable(emulator)
  const rows = emulator.stdout().split('\n')
  expect(rows[1]).toMatch(/^speech +apiUrl http:\/\/127\.0\.0\.1:\d+ +my-key$/)
  expect(rows[2]).toMatch(/^ +agentUrl http:\/\/127\.0\.0\.1:\d+$/)
  expect(rows[3]).toMatch(/^storage-auth +authUrl http:\/\/127\.0\.0\.1:\d+\/auth-api +email /)
  expect(emulator.stdout()).not.toContain('extraction')
})

it('concord-emulator lists the choices of all services or of one, and exits', async () => {
  const table = run('--choices', '--service', 'media')
  expect((await table.ended).code).toBe(0)
  expect(table.stdout()).toMatch(/^media\n/)
  expect(table.stdout()).toMatch(/^  courseOf +Undocumented: .* Default: function$/m)
  expect(table.stdout()).not.toContain('readForm')

  const json = run('--choices', '--json')
  expect((await json.ended).code).toBe(0)
  const listed = JSON.parse(json.stdout()) as Record<string, { name: string }[]>
  expect(Object.keys(listed)).toEqual(SERVICE_NAMES)
  const exported: Readonly<Record<string, unknown>> = emulatorPackage
  for (const name of SERVICE_NAMES) {
    const choices = exported[`default${name.charAt(0).toUpperCase()}${name.slice(1)}Choices`]
    expect(listed[name]?.map((choice) => choice.name).sort()).toEqual(Object.keys(choices as object).sort())
  }
})

it('concord-emulator --help prints the options, and exits with 0', async () => {
  const emulator = run('--help')
  expect((await emulator.ended).code).toBe(0)
  expect(emulator.stdout()).toContain('--port <name=number>')
})

it.each([
  [['--choices', 'missing.mjs'], "--choices missing.mjs: the module can't be loaded"],
  [['--host', '192.0.2.1'], "can't listen on 192.0.2.1:0"],
])('concord-emulator exits with 2 and says what to do for %j', async (args, message) => {
  const emulator = run('--json', ...args)
  expect((await emulator.ended).code).toBe(2)
  expect(emulator.stderr()).toContain(message)
  expect(emulator.stdout()).toBe('')
})

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
