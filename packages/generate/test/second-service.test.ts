import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import type { GeneratedFiles } from '../src/generate.ts'
import { filesOf } from './support/services.ts'
import type { Service } from '../src/services.ts'
import { casesOf, compare } from './support/compare.ts'
import { contractSchemas } from './support/contract-schemas.ts'
import { typeCheck } from './support/compiler.ts'
import { type Schemas, loadSchemas } from './support/generated.ts'
import { inFolder } from '../src/corpus/scratch.ts'
import { schemaName } from '../src/normalize/names.ts'
import { readSource } from '../src/read/source.ts'

const fixtures = join(import.meta.dirname, 'fixtures')

/** A service of the fixtures, as an entry of the table of services. */
const lamps: Service = {
  name: 'lamps',
  openapi: 'lamps/openapi.yaml',
  asyncapi: 'lamps/asyncapi.yaml',
  apiName: 'LampApi',
  validators: { packageName: '@concord/lamps-validators', folder: 'validators' },
  client: { folder: 'client' },
}

interface Loaded {
  readonly operations: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly api: Readonly<
    Record<string, (send: unknown) => Readonly<Record<string, (...input: unknown[]) => unknown>>>
  >
}

describe('a service with OpenAPI and AsyncAPI documents', () => {
  let files: GeneratedFiles
  let schemas: Schemas
  let loaded: Loaded

  beforeAll(async () => {
    files = await filesOf(lamps, fixtures)
    schemas = await loadSchemas(files)
    const local = [...files].map(
      ([file, text]) =>
        [file, text.replaceAll("'@concord/lamps-validators'", "'../validators/index.gen.ts'")] as const,
    )
    loaded = await inFolder(new Map(local), async (folder) => ({
      operations: await import(/* @vite-ignore */ join(folder, 'client/operations.gen.ts')),
      api: await import(/* @vite-ignore */ join(folder, 'client/api.gen.ts')),
    }))
  })

  it('has the files of every service', () => {
    expect([...files.keys()].sort()).toEqual([
      'client/api.gen.ts',
      'client/checks.gen.ts',
      'client/operations.gen.ts',
      'client/spec.gen.ts',
      'validators/index.gen.ts',
      'validators/predicates.gen.ts',
      'validators/schemas.gen.ts',
      'validators/spec.gen.ts',
      'validators/types.gen.ts',
    ])
  })

  it('type-checks, with the types that a caller expects', async () => {
    const consumer = readFileSync(join(fixtures, 'lamps/consumer.ts'), 'utf8')
    const paths = {
      '@concord/lamps-validators': './validators/index.gen.ts',
      '@concord/lamps/operations': './client/operations.gen.ts',
      '@concord/lamps/api': './client/api.gen.ts',
    }
    expect(await typeCheck(files, consumer, paths)).toBe('')
  })

  it('describes its operations', () => {
    const { listLamps, replaceLamp, removeLamp, sendFirmware, getPicture, getDrawing, createAlbum } =
      loaded.operations
    const check = { accepts: expect.any(Function), schema: expect.any(Function) }
    expect(listLamps).toEqual({
      id: 'listLamps',
      method: 'GET',
      path: '/lamps',
      server: 'apiUrl',
      security: ['session', 'key'],
      parameters: [
        { name: 'X-Trace', in: 'header', required: false },
        { name: 'tag', in: 'query', required: false },
        { name: 'limit', in: 'query', required: true },
      ],
      check,
      responses: {
        200: { kind: 'json', contentType: 'application/json', check },
        404: { kind: 'json', contentType: 'application/problem+json', check },
        503: { kind: 'empty' },
      },
      retry: { class: 'safe', statuses: [503] },
      secrets: ['pin'],
    })
    expect(replaceLamp).toMatchObject({
      path: '/lamps/{lamp_id}/',
      server: 'dataUrl',
      security: ['key'],
      body: { kind: 'json', contentType: 'application/json', required: true },
      responses: { 204: { kind: 'empty' } },
      secrets: ['pin'],
    })
    expect(removeLamp).toMatchObject({
      security: [],
      body: { kind: 'text', contentType: 'text/plain', required: false },
      responses: { 200: { kind: 'text', contentType: 'text/plain' }, 204: { kind: 'empty' } },
      secrets: [],
    })
    expect(sendFirmware).toMatchObject({
      body: { kind: 'binary', contentType: 'application/octet-stream', required: true },
    })
    expect(getPicture).toMatchObject({
      responses: { 200: { kind: 'binary', contentType: 'image/png' } },
    })
    expect(getDrawing).toMatchObject({
      waiter: { status: '/state/now', success: ['ready'], failure: ['broken'], pending: ['drawing'] },
    })
    expect(createAlbum).toMatchObject({
      body: {
        kind: 'multipart',
        contentType: 'multipart/form-data',
        parts: {
          cover: { kind: 'file', contentTypes: ['image/png', 'image/jpeg'] },
          title: { kind: 'text' },
          details: { kind: 'json' },
          tags: { kind: 'json' },
        },
      },
    })
  })

  it('marks open statuses of successes, and says nothing about the kind of an error', () => {
    const responses = (id: string) => loaded.operations[id]?.['responses'] as Record<string, object>
    expect(responses('sendFirmware')['202']).toEqual({
      kind: 'json',
      contentType: 'application/json',
      check: { accepts: expect.any(Function), schema: expect.any(Function) },
      openStatus: true,
    })
    expect(responses('sendFirmware')['202']).not.toHaveProperty('openBody')
    expect(responses('listLamps')['200']).not.toHaveProperty('openStatus')
    expect(responses('listLamps')['404']).not.toHaveProperty('openStatus')
  })

  it('tells where open enums stand, and what a 429 means', () => {
    const responses = loaded.operations['createAlbum']?.['responses'] as Record<string, object>
    expect(responses['429']).toMatchObject({
      openEnums: [
        { path: ['reasons', '*'], values: ['busy', 'tired'] },
        { path: ['byName', '*'], values: ['busy', 'tired'] },
      ],
      rateMeanings: [{ meaning: 'request-rate', retryHelps: true }],
    })
  })

  it('hands each call of the api to what sends it, with the descriptor, the input and the options', () => {
    const api = loaded.api['lampApi']?.((...call: unknown[]) => call)
    const input = { query: { limit: 3 } }
    expect(api?.['listLamps']?.(input, { timeoutMs: 1 })).toEqual([
      loaded.operations['listLamps'],
      input,
      { timeoutMs: 1 },
    ])
    const whole = loaded.api['lampApiWithResponse']?.((...call: unknown[]) => call)
    expect(whole?.['getPicture']?.(input)).toEqual([loaded.operations['getPicture'], input, undefined])
    expect(Object.keys(api ?? {})).toEqual(Object.keys(loaded.operations))
  })

  it('checks its inputs, responses, webhooks and messages as the contract does', () => {
    const { value: contract } = readSource(join(fixtures, lamps.openapi), lamps.openapi)
    const makeCases = casesOf(contract)
    for (const [name, raw] of contractSchemas(contract)) {
      // Bytes have tests of their own, and a body that was never there is not JSON.
      if (['SendFirmwareInput', 'CreateAlbumInput', 'Picture', 'GetPictureOutput'].includes(name)) continue
      if (/Output$|Error$/.test(name)) continue
      const schema = schemas[schemaName(name)]
      expect({
        name,
        found: schema && compare(makeCases(raw, 200), schema).disagreements.slice(0, 2),
      }).toEqual({ name, found: [] })
    }
    expect(schemas['lampBrokenPayload']?.safeParse({ lamp: {} }).success).toBe(false)
    expect(schemas['lampDimmedPayload']?.safeParse({ level: 0.5 }).success).toBe(true)
    expect(schemas['lampDimmedPayload']?.safeParse({ level: 1.5 }).success).toBe(false)
  })

  it('does not double a payload that is a component of the OpenAPI document', () => {
    const names = Object.keys(schemas).sort()
    expect(names).not.toContain('lampMovedPayload')
    expect(names.filter((name) => name.startsWith('lamp'))).toEqual([
      'lamp',
      'lampBrokenPayload',
      'lampDimmedPayload',
      'lampId',
    ])
  })

  it('takes bytes as a body and as a part of a form', () => {
    const body = new Uint8Array(3)
    expect(schemas['sendFirmwareInput']?.safeParse({ path: { lamp_id: 'L-1' }, body }).success).toBe(true)
    expect(schemas['sendFirmwareInput']?.safeParse({ path: { lamp_id: 'L-1' } }).success).toBe(false)
    expect(schemas['sendFirmwareInput']?.safeParse({ path: { lamp_id: 'L-1' }, body: 3 }).success).toBe(false)
    expect(schemas['createAlbumInput']?.safeParse({ body: { cover: new Blob(), details: {} } }).success).toBe(
      true,
    )
    expect(schemas['createAlbumInput']?.safeParse({ body: { cover: {}, details: {} } }).success).toBe(false)
  })
})
