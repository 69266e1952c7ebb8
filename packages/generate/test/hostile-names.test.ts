import { symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { expect, it } from 'vitest'

import { inFolder } from '../src/corpus/scratch.ts'
import { print } from '../src/generate.ts'
import { readService } from '../src/normalize/service.ts'
import { parseSource } from '../src/read/source.ts'
import type { Service } from '../src/services.ts'
import { typeCheck } from './support/compiler.ts'

/** Names of generated files, of the language and the platform, of other scripts, and some that would be code if they were printed. */
const NAMES = [
  ...`spec securitySchemes checks fuzzApi FuzzApi fuzzApiWithResponse FuzzApiWithResponse Fuzz FuzzOptions constructor toString
  __proto__ prototype valueOf await yield let static using satisfies infer any never object undefined NaN globalThis window z Zod
  send exchange input Promise Record Error Response`.split(/\s+/),
  '²', 'Ⅳ', '٣', '１', 'Σ', 'σ', '𝒳', 'İ', 'ẞ', 'a\u0301', '名前', '\u202Eabc', 'a\0b', '👩‍👧', '', ' ', '\n', '\u2028', '*/ globalThis.pwned = 1 /*',
  '${globalThis.pwned = 1}', '`;globalThis.pwned = 1;`', '// @ts-ignore\nglobalThis.pwned = 1', 'x'.repeat(500),
] // prettier-ignore

const reference = (index: number) => ({ $ref: `#/components/refs/${index % NAMES.length}` })
const json = (schema: object) => ({ 'application/json': { schema } })

/** Every name as that of everything that has one. The schemas contain each other, so that they are recursive. */
const contract = {
  openapi: '3.1.0',
  info: { title: NAMES.slice(-6).join(' '), version: NAMES.slice(-6).join(' ') },
  tags: NAMES.map((name) => ({ name, description: name })),
  paths: Object.fromEntries(
    NAMES.map((name, index) => [
      `/${index}`,
      {
        post: {
          operationId: name,
          tags: [name],
          summary: name,
          description: name,
          parameters: [
            { name: name || 'x', in: 'query', schema: { type: 'string', default: name } },
            { name: `X-${index}`, in: 'header', description: name, schema: { enum: [name, 'other'] } },
          ],
          requestBody: { content: json(reference(index)) },
          responses: {
            200: { description: name, content: json(reference(index)) },
            default: { description: name, content: json({ type: 'object', properties: { [name]: {} } }) },
          },
          security: [{ [name]: [] }],
        },
      },
    ]),
  ),
  components: {
    schemas: Object.fromEntries(
      NAMES.map((name, index) => [
        name,
        {
          type: 'object',
          description: name,
          properties: {
            [name]: { const: name },
            next: reference(index + 1),
            back: { type: 'array', items: reference(index) },
          },
        },
      ]),
    ),
    // References lead through these, because a name can't be written in every address.
    refs: NAMES.map((name) => ({
      $ref: `#/components/schemas/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`,
    })),
    securitySchemes: Object.fromEntries(
      NAMES.map((name, index) => [
        name,
        index % 2 === 0 ? { type: 'http', scheme: 'basic' } : { type: 'http', scheme: 'bearer' },
      ]),
    ),
  },
}

const service: Service = {
  name: 'fuzz',
  openapi: 'openapi.json',
  apiName: 'FuzzApi',
  className: 'Fuzz',
  validators: { folder: 'gen' },
  client: { folder: 'gen' },
}

it('any name makes files that the compiler accepts, that run no code of the contract, and that are the same in each run', async () => {
  const made = async () =>
    print(
      await readService(parseSource(JSON.stringify(contract), 'openapi.json'), undefined, {
        strict: false,
        apiName: service.apiName,
      }),
      service,
    )
  const files = await made()
  expect(await made()).toEqual(files)
  await inFolder(new Map([...files, ['package.json', '{"type":"module"}']]), async (folder) => {
    symlinkSync(
      resolve(import.meta.dirname, '../../runtime/node_modules'),
      join(folder, 'gen/node_modules'),
      'dir',
    )
    expect(typeCheck(folder, [...files.keys()], {}).slice(0, 2000)).toBe('')
    for (const file of files.keys()) await import(/* @vite-ignore */ join(folder, file))
    expect(Object.hasOwn(globalThis, 'pwned')).toBe(false)
  })
})
