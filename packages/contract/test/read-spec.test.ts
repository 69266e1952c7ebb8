import { readFile } from 'node:fs/promises'

import { describe, expect, it } from 'vitest'
import {
  atPointer,
  ContractError,
  differences,
  loadSocketSpec,
  loadSpec,
  readSpec,
  sameJson,
  schemaOracle,
} from '@concord/spec-model'

import { listRows } from '../src/coverage/matrix.ts'
import { specOf as read } from './fixture/documents.ts'
import { temporaryFile } from './fixture/local.ts'

const get = (operation: object) => ({ '/things': { get: { operationId: 'getThings', ...operation } } })

describe('reading a contract', () => {
  it('returns all operations of the extraction contract, including public ones, and its webhook', async () => {
    const spec = await loadSpec('extraction')
    const text = await readFile(new URL('../../../specs/extraction/openapi.yaml', import.meta.url), 'utf8')
    const [paths = ''] = text.split(/^webhooks:$/m)
    expect(spec.operations).toHaveLength([...paths.matchAll(/^ {6}operationId: /gm)].length)
    const open = spec.operations.filter((one) => one.security.every((schemes) => schemes.length === 0))
    expect(open).toHaveLength([...paths.matchAll(/^ {6}security: \[\]$/gm)].length)
    expect(spec.webhooks.map((one) => one.name)).toEqual(['jobCompleted'])
    expect(spec.operations.map((one) => one.path)).toContain('/v1/blueprints/')
  })

  it("replaces a path's parameters with those of the operation, and follows references", () => {
    const spec = read(
      {
        '/things/{id}': {
          parameters: [{ $ref: '#/components/parameters/Id' }],
          get: {
            operationId: 'getThing',
            parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
          },
          delete: { operationId: 'removeThing' },
        },
      },
      {
        components: {
          parameters: { Id: { name: 'id', in: 'path', required: true, schema: { type: 'string' } } },
        },
      },
    )
    expect(spec.operations.map((one) => [one.id, one.parameters[0]?.schema.schema])).toEqual([
      ['getThing', { type: 'integer' }],
      ['removeThing', { type: 'string' }],
    ])
  })

  it('adds the members beside the reference of a path item to those of its target', () => {
    const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }
    const spec = read(
      { '/things/{id}': { $ref: '#/components/pathItems/Thing', get: { operationId: 'own' } } },
      {
        components: {
          pathItems: {
            Thing: { parameters: [id], get: { operationId: 'other' }, put: { operationId: 'putThing' } },
          },
        },
      },
    )
    expect(spec.operations.map((one) => [one.id, one.parameters[0]?.schema])).toEqual([
      ['own', { pointer: '/components/pathItems/Thing/parameters/0/schema', schema: { type: 'integer' } }],
      [
        'putThing',
        { pointer: '/components/pathItems/Thing/parameters/0/schema', schema: { type: 'integer' } },
      ],
    ])
  })

  it("prefers an operation's security to that of the document, even if it is empty", () => {
    const spec = read(
      { '/a': { get: { operationId: 'a', security: [] }, put: { operationId: 'b' } } },
      { security: [{ key: [] }] },
    )
    expect(spec.operations.map((one) => one.security)).toEqual([[], [['key']]])
  })

  it('numbers operations that have the same operationId', () => {
    const spec = read({
      '/a': { get: { operationId: 'x' }, put: { operationId: 'x' } },
      '/b': { get: { operationId: 'x2' }, put: { operationId: 'x' } },
    })
    expect(spec.operations.map(({ id }) => id)).toEqual(['x', 'x3', 'x2', 'x4'])
  })

  it('returns a row for every documented response, and no others', () => {
    const content = {
      'application/json': { schema: { type: 'string' }, examples: { a: { value: 'a' }, b: { value: 'b' } } },
    }
    const spec = read(
      get({
        responses: {
          101: { description: 'Never returned by a client.' },
          200: { description: '', content },
          204: { description: '' },
          default: { description: '', content: { 'text/plain': {} } },
        },
      }),
    )
    expect(listRows(spec, schemaOracle(spec)).map((row) => row.key)).toEqual([
      'request | getThings | - | - | (no parameters)',
      'response | getThings | 200 | application/json | a',
      'response | getThings | 200 | application/json | b',
      'response | getThings | 204 | - | (no body)',
      'response | getThings | default | text/plain | (generated)',
    ])
  })
})

describe('unreadable contracts', () => {
  it.each([
    [
      'a version 2 document',
      () => readSpec({ swagger: '2.0' }, { file: 'old.yaml' }),
      /old.yaml isn't an OpenAPI document of version 3.0, 3.1 or 3.2 .*Convert the document to OpenAPI 3.0 or 3.1/,
    ],
    [
      'an AsyncAPI document',
      () => readSpec({ asyncapi: '3.0.0' }, { file: 'sockets.yaml' }),
      /sockets.yaml is an AsyncAPI document.*--sockets/,
    ],
    ['an unknown status', () => read(get({ responses: { ok: {} } })), /the invalid status `ok`/],
    [
      'a reference to another file',
      () => read(get({ requestBody: { $ref: 'other.yaml#/x' } })),
      /reference `other.yaml/,
    ],
    [
      'a reference to nothing',
      () => read(get({ requestBody: { $ref: '#/x' } })),
      /refers to `#\/x`, but the document contains no object/,
    ],
    [
      'a circular reference',
      () => read(get({ requestBody: { $ref: '#/a' } }), { a: { $ref: '#/a' } }),
      /reference `#\/a`/,
    ],
  ])('an error locates %s', (_what, reading, message) => {
    expect(reading).toThrow(ContractError)
    expect(reading).toThrow(message)
  })

  it("an error lists the contracts if a name isn't one of them", async () => {
    await expect(loadSpec('no-such-service')).rejects.toThrow(
      /"no-such-service" is neither a contract .*extraction, .*media, .*speech, .*storage-auth\b/,
    )
    await expect(loadSpec('No/such.yaml')).rejects.toThrow(
      /File not found: .*extraction, .*media, .*speech, .*storage-auth\b/,
    )
    await expect(loadSocketSpec('no-such-service')).rejects.toThrow(/asyncapi\.yaml: extraction, speech\./)
    await expect(loadSpec('./no/such/file.yaml')).rejects.toThrow(/File not found: .*file.yaml/)
  })

  it("an error says that a file isn't YAML, or isn't an object", async () => {
    const [broken, list] = [temporaryFile('broken.yaml', 'a: ['), temporaryFile('list.yaml', '- a')]
    await expect(loadSpec(broken)).rejects.toThrow(/can't be read as YAML/)
    await expect(loadSpec(list)).rejects.toThrow(/The top level of .* isn't an object/)
  })
})

describe('comparing JSON values', () => {
  it('JSON values are the same if only the order of keys differs', () => {
    expect(sameJson({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 })).toBe(true)
    expect(sameJson([1, 2], [2, 1])).toBe(false)
    expect(sameJson({ a: undefined }, {})).toBe(false)
  })

  it('differences between JSON values are JSON pointers', () => {
    expect(differences({ a: { 'b/c': 1 }, d: [1, 2] }, { a: { 'b/c': 2 }, d: [1] })).toEqual([
      '/a/b~1c',
      '/d/1',
    ])
    expect(differences(1, 2)).toEqual([''])
  })

  it('JSON pointers with escapes lead to values', () => {
    expect(atPointer({ 'a/b': [{ '~': 5 }] }, '/a~1b/0/~0')).toBe(5)
    expect(atPointer({}, '/constructor')).toBeUndefined()
  })
})
