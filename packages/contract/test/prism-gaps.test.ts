/**
 * What Prism 5.16 gets wrong, and how our oracle and guard handle it. Each gap has a test, which fails if an upgrade of
 * Prism closes it.
 */
import { spawn } from 'node:child_process'
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { afterEach, describe, expect, it, vi } from 'vitest'
import { loadSpec, readSpec, schemaOracle } from '@concord/spec-model'

import { startPrism } from '../src/http/prism.ts'
import type { PrismConfig } from '../src/http/prism-library.ts'
import { responses, oneOperation, rawPrism } from './raw-prism.ts'

// Tests with many exchanges must not time out on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function prism(document: object, config: Partial<PrismConfig> = {}) {
  const started = await rawPrism(document, config)
  closing.push(() => started.server.close())
  return started
}

const ok = responses({ type: 'object' }, { ok: true })
const form = (schema: object, encoding?: object): object =>
  oneOperation({
    requestBody: {
      required: true,
      content: { 'multipart/form-data': { schema, ...(encoding ? { encoding } : {}) } },
    },
    responses: ok,
  })
const post = (address: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${address}/do`, { method: 'POST', ...init })

function formOf(entries: Record<string, string | Blob>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(entries)) data.append(name, value)
  return data
}

describe('multipart bodies', () => {
  it('a malformed part ends the process', async () => {
    const { code, stderr } = await runToEnd('prism-crash.ts', 'raw')
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/TypeError|Unhandled|not iterable|undefined/)
  })

  it('behind our guard, a malformed part is rejected and the process survives', async () => {
    const { code, stdout } = await runToEnd('prism-crash.ts', 'guarded')
    expect(stdout).toBe('400 malformed multipart: a part has no form-data disposition; then 200')
    expect(code).toBe(0)
  })

  it('arrays and objects always result in 422', async () => {
    const { address } = await prism(
      form({ type: 'object', properties: { tags: { type: 'array' }, meta: { type: 'object' } } }),
    )
    expect((await post(address, { body: formOf({ tags: 'a' }) })).status).toBe(422)
    expect((await post(address, { body: formOf({ meta: '{}' }) })).status).toBe(422)
  })

  it('extra parts pass despite additionalProperties: false', async () => {
    const { address } = await prism(
      form({ type: 'object', properties: { note: { type: 'string' } }, additionalProperties: false }),
    )
    expect((await post(address, { body: formOf({ note: 'a', extra: 'b' }) })).status).toBe(200)
  })

  it("a part whose content type `encoding` doesn't allow passes", async () => {
    const schema = { type: 'object', properties: { file: { type: 'string' } } }
    const { address } = await prism(form(schema, { file: { contentType: 'image/png' } }))
    const file = new File(['x'], 'x.txt', { type: 'text/plain' })
    expect((await post(address, { body: formOf({ file }) })).status).toBe(200)
  })

  it('with a style in `encoding`, file bytes with a reserved character result in 422', async () => {
    const schema = { type: 'object', properties: { file: { type: 'string' } } }
    const { address } = await prism(form(schema, { file: { style: 'form' } }))
    expect((await post(address, { body: formOf({ file: new File(['a/b'], 'x') }) })).status).toBe(422)
  })
})

describe('bodies of URL-encoded forms', () => {
  it('a field that is JSON, or has a style with delimiters, results in 422', async () => {
    const type = 'application/x-www-form-urlencoded'
    const properties = { meta: { type: 'object' }, tags: { type: 'array', items: { type: 'string' } } }
    const encoding = {
      meta: { contentType: 'application/json' },
      tags: { style: 'pipeDelimited', explode: false },
    }
    const requestBody = {
      required: true,
      content: { [type]: { schema: { type: 'object', properties }, encoding } },
    }
    const { address } = await prism(oneOperation({ requestBody, responses: ok }))
    const send = async (fields: string) =>
      (await post(address, { body: fields, headers: { 'content-type': type } })).status
    expect([await send('meta=%7B%22a%22%3A1%7D'), await send('tags=a%7Cb')]).toContain(422)
  })
})

describe('the proxy', () => {
  async function upstream(status: number, type: string, body: Buffer) {
    const received: Buffer[] = []
    const server = createServer((request, response) => {
      request.on('data', (chunk: Buffer) => received.push(chunk))
      request.on('end', () => response.writeHead(status, { 'content-type': type }).end(body))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => new Promise((resolve) => server.close(resolve)))
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    return { url, received: () => Buffer.concat(received) }
  }
  const bytes = { 'application/octet-stream': {} }
  const document = oneOperation({
    requestBody: { content: bytes },
    responses: { ...ok, '201': { description: 'bytes', content: bytes } },
  })

  it('corrupts binary bodies in both directions', async () => {
    const binary = Buffer.from([0xff, 0xfe, 0x00, 0x01])
    const behind = await upstream(201, 'application/octet-stream', binary)
    const { address } = await prism(document, { isProxy: true, upstream: behind.url })
    const reply = await post(address, {
      body: binary,
      headers: { 'content-type': 'application/octet-stream' },
    })
    expect(Buffer.from(await reply.arrayBuffer()).equals(binary)).toBe(false)
    expect(behind.received().equals(binary)).toBe(false)
  })

  it.each([false, true])('replaces an upstream 501 with 200 from the mock (errors: %s)', async (errors) => {
    const behind = await upstream(501, 'application/json', Buffer.from('{}'))
    const { address } = await prism(document, { isProxy: true, upstream: behind.url, errors })
    expect((await post(address)).status).toBe(200)
  })

  it('only warns of an undocumented 4xx, even with errors', async () => {
    const behind = await upstream(418, 'application/json', Buffer.from('{}'))
    const { address, log } = await prism(document, { isProxy: true, upstream: behind.url, errors: true })
    expect((await post(address)).status).toBe(418)
    expect(log.filter((line) => /^(warn|error): Violation/.test(line))).toEqual([
      'warn: Violation: response Unable to match the returned status code with those defined in the document: 200,201',
    ])
  })
})

describe('schemas', () => {
  const judged: [string, object, unknown][] = [
    ['prefixItems', { type: 'array', prefixItems: [{ type: 'string' }] }, [1]],
    ['dependentRequired', { type: 'object', dependentRequired: { a: ['b'] } }, { a: 1 }],
    ['unevaluatedProperties', { type: 'object', unevaluatedProperties: false }, { a: 1 }],
    ['minContains', { type: 'array', contains: { type: 'string' }, minContains: 2 }, ['a']],
  ]
  it.each(judged)('%s is ignored, but our oracle checks it', async (_keyword, schema, invalid) => {
    const document = oneOperation({
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: ok,
    })
    const { address } = await prism(document)
    const reply = await post(address, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(invalid),
    })
    expect(reply.status).toBe(200)

    const spec = readSpec(document as never, { file: 'test' })
    const at = spec.operations[0]?.body?.media[0]?.schema
    expect(at && schemaOracle(spec).accepts(at, invalid)).toBe(false)
  })
})

describe('the mock', () => {
  it("can't serve `default` or a range", async () => {
    const error = { description: 'e', content: { 'application/json': { examples: { e: { value: {} } } } } }
    const { address } = await prism(oneOperation({ responses: { ...ok, default: error, '4XX': error } }))
    expect((await post(address, { headers: { prefer: 'code=default' } })).status).toBe(422)
    expect((await post(address, { headers: { prefer: 'code=4XX' } })).status).toBe(422)
  })

  it('serves a binary response as the text `string`, or not at all', async () => {
    const withSchema = await prism(
      oneOperation({
        responses: { '200': { description: 'b', content: { 'image/png': { schema: { type: 'string' } } } } },
      }),
    )
    expect(await (await post(withSchema.address)).text()).toBe('string')
    const without = await prism(
      oneOperation({ responses: { '200': { description: 'b', content: { 'image/png': {} } } } }),
    )
    expect((await post(without.address)).status).toBe(500)
  })

  it('with errors, and no example, responds with 500 to its own data', async () => {
    const schema = {
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'string', pattern: '^[A-Z]{3}$' } },
    }
    const { address } = await prism(oneOperation({ responses: responses(schema) }), { errors: true })
    expect((await post(address)).status).toBe(500)
  })

  it('lists no violation in the header if it rejects a request', async () => {
    const schema = { type: 'object', required: ['a'] }
    const { address, log } = await prism(
      oneOperation({ requestBody: { content: { 'application/json': { schema } } }, responses: ok }),
    )
    const reply = await post(address, { headers: { 'content-type': 'application/json' }, body: '{}' })
    expect(reply.status).toBe(422)
    expect(reply.headers.get('sl-violations')).toBeNull()
    expect(log).toContain("error: Request body must have required property 'a'")
  })

  it("doesn't serve webhooks", async () => {
    const document = oneOperation(
      { responses: ok },
      { webhooks: { done: { post: { operationId: 'done', responses: ok } } } },
    )
    const { address } = await prism(document)
    expect((await fetch(`${address}/done`, { method: 'POST' })).status).toBe(404)
  })

  it('responds to a WebSocket upgrade with a plain 200', async () => {
    const { address } = await prism(oneOperation({ responses: ok }))
    const reply = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = httpRequest(`${address}/do`, {
        method: 'POST',
        headers: {
          connection: 'Upgrade',
          upgrade: 'websocket',
          'sec-websocket-version': '13',
          'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        },
      })
      request.on('response', resolve).on('upgrade', resolve).on('error', reject).end()
    })
    reply.resume()
    expect(reply.statusCode).toBe(200)
  })
})

function runToEnd(
  script: string,
  ...args: string[]
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const child = spawn(process.execPath, [
    '--conditions=@concord/source',
    fileURLToPath(new URL(script, import.meta.url)),
    ...args,
  ])
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => (stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (stderr += String(chunk)))
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })))
}

describe('security schemes', () => {
  const secured = oneOperation(
    { responses: ok, security: [{ key: [] }] },
    { components: { securitySchemes: { key: { type: 'http', scheme: 'Token' } } } },
  )

  it("that Prism doesn't know are reported as violated, whatever is sent", async () => {
    const { address, log } = await prism(secured)
    await post(address, { headers: { authorization: 'Token a-key' } })
    expect(log.join()).toContain('We currently do not support this type of security scheme: http/token')
  })

  it('that Prism doesn’t know only need a header behind our guard', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'prism-security-'))
    closing.push(() => rm(folder, { recursive: true }))
    const file = join(folder, 'secured.json')
    await writeFile(file, JSON.stringify(secured))
    const host = await startPrism(await loadSpec(file))
    closing.push(() => host.close())
    const request = { method: 'POST', target: '/do', body: new Uint8Array() }
    const sent = await host.exchange({ ...request, headers: [['authorization', 'Token a-key']] })
    expect(sent.findings).toEqual([])
    expect((await host.exchange({ ...request, headers: [] })).findings).not.toEqual([])
  })
})
