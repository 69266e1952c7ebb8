import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { type Client, isErrorOf, type OperationDescriptor } from '@concord/runtime'
import { memoryTransport } from '@concord/runtime/testing'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'

import type { GeneratedFiles } from '../src/generate.ts'
import { typeCheck } from './support/compiler.ts'
import {
  generateFixture,
  loadModules,
  type LoadedModules,
  packagesOf,
  passContractTests,
} from './support/loaded-class.ts'

const fixture = join(import.meta.dirname, 'fixtures/ferries')

type Methods = Readonly<Record<string, (input: object, options?: object) => Promise<unknown>>>
interface FerriesClient extends AsyncDisposable {
  readonly api: Methods
  readonly withResponse: Methods
  readonly client: Client
}
type FerriesClass = new (options: object) => FerriesClient

describe('bodies with several media types, and headers of responses', () => {
  let files: GeneratedFiles
  let modules: LoadedModules
  let Ferries: FerriesClass

  beforeAll(async () => {
    files = await generateFixture('ferries')
    modules = await loadModules('ferries', files)
    Ferries = modules['client/client']?.['Ferries'] as FerriesClass
  })

  it('have a type for each media type, which the caller names', async () => {
    const consumer = readFileSync(join(fixture, 'consumer.ts'), 'utf8')
    expect(await typeCheck(files, consumer, packagesOf('ferries'))).toBe('')
  })

  it('are sent and read in each of them, as the contract says', async () => {
    const tested = await passContractTests(
      'ferries',
      modules,
      (target, options) => new Ferries({ ...options, baseUrl: target.baseUrl, ...target.credentials }),
    )
    for (const type of ['x-www-form-urlencoded', 'vnd.ferries.v2', 'text/csv', 'image/*', 'application/pdf'])
      expect(tested.join('\n')).toContain(type)
  })

  it('are checked by the schema of the media type that is meant', async () => {
    const transport = memoryTransport(() =>
      Response.json({ port: 'Oslo', seats: 1 }, { status: 201, headers: { location: '/' } }),
    )
    const { api } = new Ferries({ transport, key: 'k' })
    const book = (input: object) => api['bookCrossing']?.(input)
    await expect(book({ body: { port: 'Oslo', seats: 0 } })).rejects.toThrow(/\. \/body\/seats: \S/)
    const contentType = 'application/x-www-form-urlencoded'
    await expect(book({ contentType, body: { port: 'Oslo' } })).rejects.toThrow(/\. \/body\/seats: \S/)
    await expect(book({ contentType: 'text/csv', body: 'a' })).rejects.toThrow(
      /\. \/body: must have at least 3/,
    )
    await expect(book({ contentType: 'text/html', body: 'Oslo' })).rejects.toThrow(/contract/)
    await expect(api['getTicket']?.({ path: { crossing_id: '7' } }, { accept: 'text/html' })).rejects.toThrow(
      /no success response of the media type `text\/html`.*application\/json, text\/plain, application\/pdf/,
    )
  })

  it('are sent as the media type that the caller names, even if a Blob has another one', async () => {
    const seen: (string | null)[] = []
    const transport = memoryTransport((request) => {
      seen.push(request.headers.get('content-type'))
      return Response.json({ port: 'Oslo', seats: 1 }, { status: 201, headers: { location: '/' } })
    })
    const { api } = new Ferries({ transport, key: 'k' })
    await api['bookCrossing']?.({ contentType: 'image/webp', body: new Blob(['1'], { type: 'image/png' }) })
    await api['bookCrossing']?.({ body: { port: 'Oslo', seats: 1 } })
    expect(seen).toEqual(['image/webp', 'application/json'])
  })

  const headers = {
    location: '/v1/crossings/7',
    'x-seats-left': '3',
    'x-full': 'false',
    'x-decks': 'upper, lower',
    'x-prices': '1,2.5',
    'x-hint': '{"a":1}',
  }

  it('hand the caller of the whole response the documented headers, as their schemas say', async () => {
    const { exchanged, drift } = await booked(headers)
    expect(exchanged.headerValues).toEqual({
      Location: '/v1/crossings/7',
      'X-Seats-Left': 3,
      'X-Full': false,
      'X-Decks': ['upper', 'lower'],
      'X-Prices': [1, 2.5],
      'X-Hint': { a: 1 },
    })
    expect(drift).toEqual([])
    const plain = await booked({ location: '/' })
    expect([plain.exchanged.headerValues, plain.drift]).toEqual([{ Location: '/' }, []])
  })

  const schemas = parse(readFileSync(join(fixture, 'openapi.yaml'), 'utf8')).paths['/crossings'].post
    .responses['201'].headers as Record<string, { readonly schema?: object }>

  it.each([
    ['X-Seats-Left', '-1', -1],
    ['X-Seats-Left', '1.5', 1.5],
    ['X-Seats-Left', 'few', 'few'],
    ['X-Seats-Left', '0x10', '0x10'],
    ['X-Seats-Left', '1e2', 100],
    ['X-Full', 'yes', 'yes'],
    ['X-Full', 'true', true],
    ['X-Decks', 'upper,cellar', ['upper', 'cellar']],
    ['X-Decks', '', []],
    ['X-Prices', '1,x', [1, 'x']],
    ['X-Prices', '', []],
  ])('report %s: %s as drift if its schema rejects it, and only then', async (name, text, value) => {
    const { exchanged, drift } = await booked({ ...headers, [name.toLowerCase()]: text })
    expect(exchanged.headerValues).toMatchObject({ [name]: value })
    const isValid = new Ajv2020().validate(schemas[name]?.schema ?? {}, value)
    expect(drift.map(({ path }) => path.split('/').slice(0, 2).join('/'))).toEqual(
      isValid ? [] : [`headers/${name}`],
    )
  })

  it('report a required header that is missing, and reject the response where validation is enforced', async () => {
    const { location: _, ...others } = headers
    expect((await booked(others)).drift).toMatchObject([{ path: 'headers/Location' }])
    await expect(booked(others, { validate: 'enforce' })).rejects.toThrow(/headers\/Location/)
    expect((await booked(others, { validate: 'off' })).drift).toEqual([])
  })

  it.each([
    ['7', 7, []],
    ['0', 0, ['headers/Retry-After']],
    ['soon', 'soon', ['headers/Retry-After']],
  ])('read the documented headers of an error, such as Retry-After: %s', async (text, value, places) => {
    const drift: { readonly path: string }[] = []
    const { api } = new Ferries({
      key: 'k',
      retry: { maxAttempts: 1 },
      transport: memoryTransport(() =>
        Response.json({ message: 'later' }, { status: 429, headers: { 'retry-after': text } }),
      ),
      onDrift: (report: { readonly issues: typeof drift }) => drift.push(...report.issues),
    })
    const error: unknown = await api['getTicket']?.({ path: { crossing_id: '7' } }).catch(
      (one: unknown) => one,
    )
    const getTicket = modules['client/operations']?.['getTicket']
    expect(isErrorOf(error, getTicket as OperationDescriptor<unknown, unknown, { 429: unknown }>, 429)).toBe(
      true,
    )
    expect(error).toMatchObject({ headerValues: { 'Retry-After': value } })
    expect(drift.map(({ path }) => path)).toEqual(places)
  })

  it('have one type for the headers of a response that several operations refer to', () => {
    const types = files.get('validators/types.gen.ts') ?? ''
    expect(types.match(/^export type \w+Headers\b/gm)).toEqual(
      expect.arrayContaining(['export type BusyHeaders', 'export type GetTicketResponse404Headers']),
    )
    expect(types).not.toContain('Response429Headers')
  })

  async function booked(sent: Readonly<Record<string, string>>, options: object = {}) {
    const drift: { readonly path: string }[] = []
    const ferries = new Ferries({
      key: 'k',
      transport: memoryTransport(() =>
        Response.json({ port: 'Oslo', seats: 1 }, { status: 201, headers: sent }),
      ),
      onDrift: (report: { readonly issues: typeof drift }) => drift.push(...report.issues),
    })
    const input = { body: { port: 'Oslo', seats: 1 } }
    const exchanged = await ferries.withResponse['bookCrossing']?.(input, options)
    return { exchanged: exchanged as { readonly headerValues: unknown }, drift }
  }
})
