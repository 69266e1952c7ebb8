import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import type { GeneratedFiles } from '../src/generate.ts'
import { filesOf } from './support/services.ts'
import { schemaName } from '../src/normalize/names.ts'
import type { Service } from '../src/services.ts'
import { casesOf, compare } from './support/compare.ts'
import { typeCheck } from './support/compiler.ts'
import { type Schemas, accepted, bindings, loadSchemas } from './support/generated.ts'
import { inFolder } from '../src/corpus/scratch.ts'
import { serviceContract } from './support/service-contract.ts'

const fixtures = join(import.meta.dirname, 'fixtures')

/** A service of market data, as an entry of the table of services. */
const service: Service = {
  name: 'quotes',
  openapi: 'quotes/openapi.yaml',
  asyncapi: 'quotes/asyncapi.yaml',
  apiName: 'QuotesApi',
  validators: { packageName: '@concord/quotes-validators', folder: 'validators' },
  client: { folder: 'client' },
}

/** The form of a check in the runtime. */
interface CheckDescriptor {
  readonly accepts?: (value: unknown) => boolean
  readonly schema: () => Promise<unknown>
}

/** The form of a check in every descriptor. */
const check = { accepts: expect.any(Function), schema: expect.any(Function) }

type Descriptor = Readonly<Record<string, unknown>> & {
  readonly queryCheck?: CheckDescriptor
  readonly sends: Readonly<Record<string, { readonly check?: CheckDescriptor }>>
  readonly receives: Readonly<Record<string, { readonly check?: CheckDescriptor }>>
}

describe('a service with channels', () => {
  let files: GeneratedFiles
  let loaded: {
    readonly channels: Readonly<Record<string, Descriptor>>
    readonly schemas: Readonly<Record<string, unknown>>
  }

  beforeAll(async () => {
    files = await filesOf(service, fixtures)
    const local = [...files].map(
      ([file, text]) =>
        [file, text.replaceAll("'@concord/quotes-validators'", "'../validators/index.gen.ts'")] as const,
    )
    loaded = await inFolder(new Map(local), async (folder) => ({
      channels: await import(/* @vite-ignore */ join(folder, 'client/channels.gen.ts')),
      schemas: await import(/* @vite-ignore */ join(folder, 'validators/index.gen.ts')),
    }))
  })

  it('has a file of channels, which exports a descriptor for each one that has an address', () => {
    expect([...files.keys()]).toContain('client/channels.gen.ts')
    expect(Object.keys(loaded.channels).sort()).toEqual(['quotes', 'replayed'])
  })

  it('describes where a channel is opened, and with what', () => {
    expect(loaded.channels['quotes']).toMatchObject({
      id: 'quotes',
      address: '/v2/quotes',
      server: 'feedUrl',
      security: ['session', 'feedKey'],
      query: [
        { name: 'instruments', required: true },
        { name: 'depth', required: false },
        { name: 'rate', required: false },
        { name: 'ticket', required: false },
        { name: 'cursor', required: false },
        { name: 'since', required: false },
      ],
      secrets: ['pin', 'ticket'],
    })
    expect(loaded.channels['replayed']).toEqual({
      id: 'replayed',
      address: '/v2/replayed',
      server: 'socketUrl',
      security: [],
      query: [],
      sends: {},
      receives: {
        trade: {
          kind: 'json',
          check,
          tags: [
            { pointer: '/type', equals: 'update' },
            { pointer: '/kind', equals: 'trade' },
          ],
        },
        frame: { kind: 'binary', tags: [] },
      },
      replies: {},
      rules: {},
      secrets: [],
    })
  })

  it('describes what goes each way, seen from the client; what has more tags is tried first', () => {
    const { sends, receives } = loaded.channels['quotes'] as Descriptor
    expect(sends).toEqual({
      subscribe: { kind: 'json', check, tags: [{ pointer: '/action', equals: 'subscribe' }] },
      unsubscribe: { kind: 'json', check, tags: [{ pointer: '/action', equals: 'unsubscribe' }] },
      ping: { kind: 'json', check, tags: [{ pointer: '/action', equals: 'ping' }] },
      order: { kind: 'binary', tags: [] },
    })
    expect(
      Object.entries(receives).map(([key, message]) => [key, (message as { tags?: unknown }).tags]),
    ).toEqual([
      [
        'trade',
        [
          { pointer: '/type', equals: 'update' },
          { pointer: '/kind', equals: 'trade' },
        ],
      ],
      // Both branches of the payload have this tag; their kinds differ.
      ['update', [{ pointer: '/type', equals: 'update' }]],
      ['acknowledgement', [{ pointer: '/type', equals: 'acknowledged' }]],
      ['refusal', [{ pointer: '/type', equals: 'error' }]],
      ['snapshot', []],
      ['notice', []],
    ])
    expect(receives['snapshot']).toEqual({ kind: 'binary', tags: [] })
  })

  it('refers to the schema of each payload and of the query', async () => {
    const { queryCheck, sends, receives } = loaded.channels['quotes'] as Descriptor
    const { schemas } = loaded
    expect(await queryCheck?.schema()).toBe(schemas['quotesQuery'])
    expect(await sends['subscribe']?.check?.schema()).toBe(schemas['subscribePayload'])
    expect(await sends['unsubscribe']?.check?.schema()).toBe(schemas['quotesUnsubscribePayload'])
    expect(await receives['trade']?.check?.schema()).toBe(schemas['tradeUpdate'])
    expect(await receives['refusal']?.check?.schema()).toBe(schemas['refusal'])
    expect(loaded.channels['replayed']?.queryCheck).toBeUndefined()
  })

  it('checks quickly what goes each way', () => {
    const { sends, receives } = loaded.channels['quotes'] as Descriptor
    const { refusal, acknowledgement } = receives
    expect(refusal?.check?.accepts?.({ type: 'error', error: { code: 7, text: null } })).toBe(true)
    expect(refusal?.check?.accepts?.({ type: 'error', error: { text: null } })).toBe(false)
    expect(acknowledgement?.check?.accepts?.({ type: 'acknowledged', of: { action: 'subscribe' } })).toBe(
      true,
    )
    expect(acknowledgement?.check?.accepts?.({ type: 'acknowledged', of: { action: 'other' } })).toBe(false)
    expect(sends['ping']?.check?.accepts?.({ action: 'ping' })).toBe(true)
    expect(sends['ping']?.check?.accepts?.({ action: 'pong' })).toBe(false)
  })

  it('says which messages have replies, and how the socket has to be treated', () => {
    expect(loaded.channels['quotes']).toMatchObject({
      replies: { subscribe: ['acknowledgement', 'refusal'], unsubscribe: ['acknowledgement', 'refusal'] },
      rules: {
        keepAlive: {
          message: 'ping',
          payload: { action: 'ping' },
          minIntervalMs: 5000,
          maxIntervalMs: 15000,
        },
        gate: { message: 'subscribe' },
        replay: ['subscribe'],
      },
    })
  })

  it('carries the descriptions of the contract, those of traits included', () => {
    const text = files.get('client/channels.gen.ts') ?? ''
    const docOf = (member: string) => {
      const before = text.slice(0, text.indexOf(member))
      return before
        .slice(before.lastIndexOf('/**'))
        .replaceAll(/[\s/*]+/g, ' ')
        .trim()
    }
    expect(docOf('readonly subscribe:')).toBe(
      'Subscribes. Adds instruments to the connection. The reply is `acknowledgement` or `refusal`.',
    )
    expect(docOf('readonly ping:')).toContain('From the trait. Carries a number of its own.')
    expect(docOf('readonly snapshot:')).toContain('The whole depth of one instrument.')
    expect(docOf('readonly snapshot:')).toContain('A binary frame, `application octet-stream`.')
    expect(docOf('readonly notice:')).toContain('Undocumented: the names of other messages.')
    expect(docOf('export type QuotesSends')).toContain('Begins and ends subscriptions.')
    expect(docOf('export type QuotesSends')).toContain('Nothing comes before the first subscription.')
    expect(docOf('export const quotes')).toContain(
      'Undocumented: how many instruments one connection may have.',
    )
    expect(docOf('export const quotes')).toContain('@see `quotes asyncapi.yaml# channels quotes`')
    expect(files.get('validators/types.gen.ts')).toContain(' * Adds instruments to the connection.\n')
    expect(text).not.toContain('Not this one')
  })

  it('type-checks, with the types that a caller expects', async () => {
    const consumer = readFileSync(join(fixtures, 'quotes/consumer.ts'), 'utf8')
    const paths = {
      '@concord/quotes-validators': './validators/index.gen.ts',
      '@concord/quotes/channels': './client/channels.gen.ts',
    }
    expect(await typeCheck(files, consumer, paths)).toBe('')
  })

  it('records both documents: a change of either shows in the digests', () => {
    for (const folder of ['validators', 'client'])
      expect(files.get(`${folder}/spec.gen.ts`)).toMatch(
        /'quotes\/openapi\.yaml': '\w{64}',\n {4}'quotes\/asyncapi\.yaml': '\w{64}'/,
      )
  })
})

const contract = serviceContract(service, fixtures)
const makeCases = casesOf(contract.root)
const judged = [...contract.schemas]
  .filter(([name]) => !contract.others.has(name))
  .map(([name, raw]) => ({ name, cases: makeCases(raw, 300) }))

describe.each(bindings)('the schemas of a service with channels, bound to %s', (zod) => {
  let schemas: Schemas

  beforeAll(async () => {
    const files = await filesOf(service, fixtures)
    schemas = await loadSchemas(files, zod)
  })

  it('are those of components, operations, payloads, queries and directions, and no others', () => {
    const names = new Set([...contract.schemas.keys(), ...contract.others.keys()])
    expect(Object.keys(schemas).sort()).toEqual([...names].map(schemaName).sort())
  })

  it.each(judged)('$name judges as Ajv does, and returns values unchanged', ({ name, cases }) => {
    const schema = schemas[schemaName(name)]
    if (!schema) throw new Error(`there is no schema for ${name}`)
    const { accepted: taken, disagreements } = compare(cases, schema)
    expect(disagreements.slice(0, 3)).toEqual([])
    expect(taken).toBeGreaterThan(30)
  })

  it('take the bytes of a binary message and nothing else', () => {
    const values = [new Uint8Array(3), Buffer.from('a'), new ArrayBuffer(3), 'abc', [1], {}, null]
    expect(accepted(schemas, 'book', values)).toEqual(values.slice(0, 2))
  })
})
