/** Servers that don't implement the contract. None of them may pass a check. */
import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'

import { expect, it } from 'vitest'

import type { Spec } from '@concord/spec-model'

import { verify, verifyJunit, verifyText, type VerifyReport } from '../src/index.ts'
import { specOf } from './fixture/documents.ts'
import { listen } from './fixture/local.ts'
import { library } from './fixture/record.ts'
import { standIn, type Asked, type StandInResponse } from './fixture/stand-in.ts'

const settings = { credentials: { apiKey: 'any' }, params: { book_id: 'b1' } }

/** A response that may be anything. */
const any = { content: { 'application/json': {}, 'text/html': {}, 'text/plain': {} } }
const id = { name: 'book_id', in: 'path', required: true, schema: { type: 'string' } }
/** A contract that leaves everything open, so that its schemas accept the responses of any server. */
const open = specOf(
  {
    '/things': {
      get: { responses: { 200: any, 401: any, default: any } },
      post: { responses: { default: {} } },
    },
    '/things/{book_id}': { get: { parameters: [id], responses: { 200: any, '4XX': any } } },
    '/login': { get: { security: [], responses: { 302: { headers: { Location: { required: true } } } } } },
  },
  {
    openapi: '3.0.0',
    servers: [{ url: 'https://open.example/v2' }],
    security: [{ key: [] }],
    components: { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'key' } } },
  },
)

async function against(
  spec: Spec,
  reply: (asked: Asked) => StandInResponse,
  credentials: Record<string, string>,
): Promise<VerifyReport> {
  await using service = await standIn(reply)
  const servers = Object.fromEntries(spec.operations.map(({ server }) => [server, service.url]))
  const allow = spec.operations.map(({ id }) => id)
  return await verify({ spec, baseUrl: service.url, servers, params: settings.params, credentials, allow })
}

const status = (code: number, json: unknown = { detail: 'No.' }) =>
  [`${code}`, () => ({ status: code, json })] as const
const servers: readonly (readonly [string, (asked: Asked) => StandInResponse])[] = [
  status(404),
  status(401),
  status(403),
  status(400),
  status(500),
  status(200, {}),
  status(200, []),
  status(204, undefined),
  ['the request itself', ({ method, url, headers }) => ({ json: { method, url, headers } })],
  [
    'the body of the request',
    ({ body }) => ({ body: body.toString(), headers: { 'content-type': 'application/json' } }),
  ],
  [
    'compressed JSON',
    () => ({
      body: gzipSync('{}'),
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    }),
  ],
  ['a web page', () => ({ body: '<!doctype html><p>Hello', headers: { 'content-type': 'text/html' } })],
  ['a redirect to itself', ({ url }) => ({ status: 302, headers: { location: url } })],
]

it.each(servers)('a server that responds to every request with %s passes no check', async (_what, reply) => {
  for (const [spec, credentials] of [
    [library, { apiKey: 'any' }],
    [open, { key: 'any' }],
  ] as const) {
    const report = await against(spec, reply, credentials)
    const passes = report.operations.flatMap(({ operation, checks }) =>
      checks.filter(({ state }) => state === 'pass').map(({ title }) => `${operation}: ${title}`),
    )
    expect(passes).toEqual([])
    expect(report.passed).toBe(false)
    expect(verifyText(report)).toMatch(/failed: none of the operations responded with a success$/)
    expect(verifyJunit(report)).toContain('<failure message="none of the operations')
  }
})

it('no more requests are sent to a service that stops responding', async () => {
  let count = 0
  const baseUrl = await listen(
    createServer((_request, response) => {
      count += 1
      if (count === 1) response.end('{}')
    }),
  )
  const report = await verify({
    spec: library,
    baseUrl,
    servers: { '{files_url}': baseUrl },
    ...settings,
    timeoutMs: 250,
  })
  expect(report.passed).toBe(false)
  expect(count).toBe(4)
  expect(JSON.stringify(report)).toContain("didn't respond to 3 consecutive requests")
})

const redirect = { status: 308, headers: { location: 'https://api.example/v1?key=s3' } }
it.each<[what: string, spec: Spec, response: StandInResponse, hint: RegExp]>([
  [
    'a missing base path, with the one in the contract',
    open,
    { status: 404 },
    /^The server responds with 404 to everything below http:\/\/127.0.0.1:\d+. Is a base path missing\? The server in the contract has the path \/v2.$/,
  ],
  ['a missing base path', library, { status: 404 }, /Is a base path missing\? The paths of the contract/],
  [
    'a credential that is never accepted',
    library,
    { status: 403 },
    /responds with 403 to every request that has a credential: is the credential valid/,
  ],
  [
    'the URL to which every request is redirected',
    library,
    redirect,
    /redirects every request \(for example, to https:\/\/api.example\/v1\), .* as --base-url/,
  ],
  [
    'a website instead of the API',
    library,
    { body: '<p>', headers: { 'content-type': 'text/html' } },
    /Every response is an HTML page/,
  ],
])('a hint reports %s', async (_what, spec, response, hint) => {
  const { hints } = await against(spec, () => response, spec === open ? { key: 'any' } : { apiKey: 'any' })
  expect(hints.join('\n')).toMatch(hint)
})
