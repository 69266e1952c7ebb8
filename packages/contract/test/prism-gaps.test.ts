/**
 * What Prism 5.16 gets wrong, and how our oracle and guard handle it. Each gap has a test, which fails if an upgrade of
 * Prism closes it.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import { fileURLToPath } from 'node:url'

import { describe, expect, it, onTestFinished } from 'vitest'
import { readSpec, schemaOracle } from '@concord/spec-model'

import { startPrism } from '../src/http/prism.ts'
import type { PrismConfig } from '../src/http/prism-library.ts'
import { listen } from './fixture/local.ts'
import { responses, oneOperation, rawPrism } from './raw-prism.ts'

async function prism(document: object, config: Partial<PrismConfig> = {}) {
  const { server, ...started } = await rawPrism(document, config)
  onTestFinished(() => server.close())
  return started
}

const ok = responses({ type: 'object' }, { ok: true })
const URL_ENCODED = 'application/x-www-form-urlencoded'
/** The operation with a body of this media type. */
const taking = (type: string, media: object): object =>
  oneOperation({ requestBody: { required: true, content: { [type]: media } }, responses: ok })
/** The operation with a form of these parts. */
const form = (properties: object, more: object = {}, encoding?: object): object =>
  taking('multipart/form-data', {
    schema: { type: 'object', properties, ...more },
    ...(encoding && { encoding }),
  })
const post = (address: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${address}/do`, { method: 'POST', ...init })
const sent = (body: unknown): RequestInit => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
const preferring = (preference: string): RequestInit => ({ headers: { prefer: preference } })
const encoded = (body: string): RequestInit => ({ headers: { 'content-type': URL_ENCODED }, body })

function formOf(entries: Record<string, string | Blob>): RequestInit {
  const body = new FormData()
  for (const [name, value] of Object.entries(entries)) body.append(name, value)
  return { body }
}

const string = { type: 'string' }
const error = { description: 'e', content: { 'application/json': { examples: { e: { value: {} } } } } }
const withErrors = oneOperation({ responses: { ...ok, default: error, '4XX': error } })
const field = taking(URL_ENCODED, {
  schema: { type: 'object', properties: { meta: { type: 'object' } } },
  encoding: { meta: { contentType: 'application/json' } },
})
const closed = form({ note: string }, { additionalProperties: false })
const fileWith = (encoding: object): object => form({ file: string }, {}, { file: encoding })
const text = new File(['x'], 'x.txt', { type: 'text/plain' })
const reserved = new File(['a/b'], 'x')
const image = oneOperation({ responses: { '200': { description: 'b', content: { 'image/png': {} } } } })

it.each<[what: string, document: object, init: RequestInit, status: number]>([
  ['a list in a form results in 422', form({ tags: { type: 'array' } }), formOf({ tags: 'a' }), 422],
  ['an object in a form results in 422', form({ meta: { type: 'object' } }), formOf({ meta: '{}' }), 422],
  ['an extra part of a closed form passes', closed, formOf({ note: 'a', extra: 'b' }), 200],
  ['a file of another type passes', fileWith({ contentType: 'image/png' }), formOf({ file: text }), 200],
  ['a styled file with `/` results in 422', fileWith({ style: 'form' }), formOf({ file: reserved }), 422],
  ['JSON in a URL-encoded form results in 422', field, encoded('meta=%7B%22a%22%3A1%7D'), 422],
  ["the response `default` can't be requested", withErrors, preferring('code=default'), 422],
  ["the responses of a range can't be requested", withErrors, preferring('code=4XX'), 422],
  ['bytes without a schema result in 500', image, {}, 500],
])('%s', async (_what, document, init, status) => {
  const { address } = await prism(document)
  expect((await post(address, init)).status).toBe(status)
})

it('bytes with a schema are served as the text `string`', async () => {
  const content = { 'image/png': { schema: string } }
  const { address } = await prism(oneOperation({ responses: { '200': { description: 'b', content } } }))
  expect(await (await post(address)).text()).toBe('string')
})

describe('malformed forms', () => {
  it('a malformed part of a form ends the process of Prism', async () => {
    const { code, stderr } = await runToEnd('prism-crash.ts', 'raw')
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/TypeError|Unhandled|not iterable|undefined/)
  })

  it('our guard rejects a malformed part of a form, and the process survives', async () => {
    const { code, stdout } = await runToEnd('prism-crash.ts', 'guarded')
    expect(stdout).toBe('400 malformed multipart: a part has no form-data disposition; then 200')
    expect(code).toBe(0)
  })
})

describe("Prism's proxy", () => {
  const bytes = { 'application/octet-stream': {} }
  const document = oneOperation({
    requestBody: { content: bytes },
    responses: { ...ok, '201': { description: 'bytes', content: bytes } },
  })
  /** Starts Prism as a proxy of a service with one response. */
  async function proxyOf(status: number, type: string, body: Buffer, config: Partial<PrismConfig> = {}) {
    const received: Buffer[] = []
    const service = createServer((request, response) => {
      request.on('data', (chunk: Buffer) => received.push(chunk))
      request.on('end', () => response.writeHead(status, { 'content-type': type }).end(body))
    })
    const upstream = new URL(await listen(service))
    return { ...(await prism(document, { isProxy: true, upstream, ...config })), received }
  }

  it('corrupts binary bodies in both directions', async () => {
    const binary = Buffer.from([0xff, 0xfe, 0x00, 0x01])
    const type = 'application/octet-stream'
    const { address, received } = await proxyOf(201, type, binary)
    const reply = await post(address, { body: binary, headers: { 'content-type': type } })
    expect(Buffer.from(await reply.arrayBuffer()).equals(binary)).toBe(false)
    expect(Buffer.concat(received).equals(binary)).toBe(false)
  })

  it.each([false, true])('replaces an upstream 501 with 200 from the mock (errors: %s)', async (errors) => {
    const { address } = await proxyOf(501, 'application/json', Buffer.from('{}'), { errors })
    expect((await post(address)).status).toBe(200)
  })

  it('only warns of an undocumented 4xx, even with errors', async () => {
    const { address, log } = await proxyOf(418, 'application/json', Buffer.from('{}'), { errors: true })
    expect((await post(address)).status).toBe(418)
    expect(log.filter((line) => /^(warn|error): Violation/.test(line))).toEqual([
      'warn: Violation: response Unable to match the returned status code with those defined in the document: 200,201',
    ])
  })
})

it.each<[keyword: string, schema: object, invalid: unknown]>([
  ['prefixItems', { type: 'array', prefixItems: [string] }, [1]],
  ['dependentRequired', { type: 'object', dependentRequired: { a: ['b'] } }, { a: 1 }],
  ['unevaluatedProperties', { type: 'object', unevaluatedProperties: false }, { a: 1 }],
  ['minContains', { type: 'array', contains: string, minContains: 2 }, ['a']],
])('Prism ignores `%s`, but our oracle checks it', async (_keyword, schema, invalid) => {
  const document = taking('application/json', { schema })
  const { address } = await prism(document)
  expect((await post(address, sent(invalid))).status).toBe(200)

  const spec = readSpec(document as never, { file: 'test' })
  const at = spec.operations[0]?.body?.media[0]?.schema
  expect(at && schemaOracle(spec).accepts(at, invalid)).toBe(false)
})

describe("Prism's mock", () => {
  it('lists no violation in the header if it rejects a request', async () => {
    const schema = { type: 'object', required: ['a'] }
    const { address, log } = await prism(taking('application/json', { schema }))
    const reply = await post(address, sent({}))
    expect(reply.status).toBe(422)
    expect(reply.headers.get('sl-violations')).toBeNull()
    expect(log).toContain("error: Request body must have required property 'a'")
  })

  it("doesn't serve webhooks", async () => {
    const webhooks = { done: { post: { operationId: 'done', responses: ok } } }
    const { address } = await prism(oneOperation({ responses: ok }, { webhooks }))
    expect((await fetch(`${address}/done`, { method: 'POST' })).status).toBe(404)
  })

  it('responds to a WebSocket upgrade with a plain 200', async () => {
    const { address } = await prism(oneOperation({ responses: ok }))
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    }
    const request = httpRequest(`${address}/do`, { method: 'POST', headers }).end()
    const [reply] = (await Promise.race([once(request, 'response'), once(request, 'upgrade')])) as [
      IncomingMessage,
    ]
    reply.resume()
    expect(reply.statusCode).toBe(200)
  })
})

async function runToEnd(script: string, mode: string) {
  const file = fileURLToPath(new URL(script, import.meta.url))
  const child = spawn(process.execPath, ['--conditions=@concord/source', file, mode])
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => (stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (stderr += String(chunk)))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}

describe("security schemes that Prism doesn't know", () => {
  const secured = oneOperation(
    { responses: ok, security: [{ key: [] }] },
    { components: { securitySchemes: { key: { type: 'http', scheme: 'Token' } } } },
  )

  it("Prism reports a scheme that it doesn't know as violated, whatever is sent", async () => {
    const { address, log } = await prism(secured)
    await post(address, { headers: { authorization: 'Token a-key' } })
    expect(log.join()).toContain('We currently do not support this type of security scheme: http/token')
  })

  it("a scheme that Prism doesn't know only needs a header behind our guard", async () => {
    const host = await startPrism(readSpec(secured, { file: 'secured.yaml' }))
    onTestFinished(() => host.close())
    const request = { method: 'POST', target: '/do', body: new Uint8Array() }
    const sent = await host.exchange({ ...request, headers: [['authorization', 'Token a-key']] })
    expect(sent.findings).toEqual([])
    expect((await host.exchange({ ...request, headers: [] })).findings).not.toEqual([])
  })
})
