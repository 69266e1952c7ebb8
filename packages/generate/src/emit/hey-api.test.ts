import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, it, onTestFinished, vi } from 'vitest'

import { print } from '../generate.ts'
import type { ServiceModel } from '../normalize/model.ts'
import { type PlainSchema, rulesKey } from '../normalize/rules.ts'
import { accepted, generate, schemasFrom, schemasOf, testService } from '../../test/support/generated.ts'
import { typesAndSchemas } from './hey-api.ts'

const modelOf = (schemas: Record<string, PlainSchema>): ServiceModel => ({
  title: 'Test',
  version: '1',
  sources: [],
  referred: [],
  enums: [],
  operations: [],
  channels: [],
  schemes: [],
  tags: new Map(),
  departures: [],
  fidelity: { places: 0, widened: 0 },
  schemas: new Map(Object.entries(schemas)),
})

/** Everything in the temporary folder and in the working folder. */
const leftovers = () => [...readdirSync(tmpdir()), ...readdirSync('.')]

it('a contract without schemas and operations has files without types', async () => {
  const files = await print(modelOf({}), testService)
  expect([...files.keys()].map((file) => file.slice(file.lastIndexOf('/') + 1))).toContain('schemas.gen.ts')
  expect([...files.values()].join('')).not.toContain('undefined')
})

it('an error inside of hey-api is thrown as an Error, and leaves no file behind', async () => {
  // Its own temporary folder, because other test files generate at the same time.
  const folder = mkdtempSync(join(tmpdir(), 'concord-hey-api-'))
  vi.stubEnv('TMPDIR', folder)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true })
  })
  expect(tmpdir()).toBe(folder)
  const before = leftovers()
  const broken = { type: 'string', [rulesKey]: { tests: 7 } } as unknown as PlainSchema
  await expect(typesAndSchemas(modelOf({ Thing: broken }))).rejects.toThrow(
    /hey-api could not generate types and zod schemas/,
  )
  expect(leftovers()).toEqual(before)
})

it('a reference that hey-api would skip is an error', async () => {
  const dangling = modelOf({ Thing: { $ref: '#/components/schemas/Missing' } })
  await expect(print(dangling, testService)).rejects.toThrow(
    "`Thing` refers to `Missing`, which doesn't exist",
  )
})

it('a schema may have the name of a check that it uses', async () => {
  const schemas = await schemasFrom({ IsUuid: { type: 'string', format: 'uuid' } })
  expect(accepted(schemas, 'isUuid', ['7d4c1f0e-9f6b-4c56-8a35-1f5f0f1c2b3a', 'x'])).toHaveLength(1)
})

it('types have no members that add nothing: `never` in a union, `unknown` in an intersection', async () => {
  const open = { properties: { id: { type: 'string' } } }
  const noted = {
    allOf: [{ description: 'Any.' }, { $ref: '#/components/schemas/Open' }, { title: 'Thing' }],
  }
  const files = await generate(schemasOf({ Open: open, Noted: noted }))
  const types = files.get('types.gen.ts')
  expect(types).not.toMatch(/\bnever\b|\bunknown\b/)
  expect(types).toMatch(/export type Noted = Open\n/)
})
