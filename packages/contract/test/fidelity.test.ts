import { readSpec } from '@concord/spec-model'
import { describe, expect, it } from 'vitest'

import { ContractError, createContractSuite, describeClient } from '../src/index.ts'
import { widenedPlaces } from '../src/suite/fidelity.ts'
import { temporaryFile } from './fixture/local.ts'

const schemas = {
  User: {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string', pattern: '^(?:a+)+$' }, code: { type: 'string', pattern: '^b$' } },
  },
}
const paths = {
  '/users': {
    get: {
      operationId: 'listUsers',
      responses: {
        '200': {
          description: '',
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/User' },
              example: { name: 'a', code: 'b' },
            },
          },
        },
      },
    },
  },
}
const document = { openapi: '3.1.0', info: { title: 'Users' }, paths, components: { schemas } }
const spec = readSpec(
  {
    ...document,
    'x-files': { 'parts/a~b.yaml': { A: { type: 'string' } }, 'https://b.example/b.yaml?key=7': { B: {} } },
  },
  { file: '/repo/specs/users.yaml' },
)
const pointer = '#/components/schemas/User/properties/name/pattern'

const departure = (at: string, file = 'specs/users.yaml', more: object = {}) => ({
  place: { file, pointer: at, line: 3 },
  reason: 'is not kept',
  effect: 'widened',
  ...more,
})
const service = (departures: readonly object[], more: object = {}) => ({
  name: 'users',
  title: 'Users',
  contract: 'specs/users.yaml',
  departures,
  ...more,
})

const fileOf = (content: unknown): string => temporaryFile('fidelity.json', content)
const placesIn = (...services: readonly object[]): string[] => [...widenedPlaces(fileOf({ services }), spec)]

describe('the places that a fidelity report lists as widened', () => {
  it('are those of the contract, of the files that it refers to, and of values from overlays', () => {
    const wheel = departure('#/A', 'specs/parts/a~b.yaml')
    const fetched = departure('#/B/type', 'https://b.example/b.yaml')
    const overlaid = departure('#/actions/0/update/pattern', 'overlay.yaml', {
      at: [{ file: 'specs/users.yaml', pointer: '#/components/schemas/User' }, { file: 'specs/users.yaml', pointer }],
    })
    const noted = departure('#/info', 'specs/users.yaml', { effect: 'noted' })
    const ofEvents = departure('#/components/schemas/User', 'specs/asyncapi.yaml')
    expect(placesIn(service([departure('#/paths'), wheel, fetched, overlaid, noted, ofEvents]))).toEqual([
      '/paths',
      '/x-files/parts~1a~0b.yaml/A',
      '/x-files/https:~1~1b.example~1b.yaml?key=7/B/type',
      '/components/schemas/User',
      pointer.slice(1),
    ])
  })

  it('are those of the service with the title of the contract, and its file if several have the title', () => {
    const other = service([departure('#/paths')], { name: 'others', title: 'Others' })
    expect(placesIn(other, service([departure(pointer)], { contract: 'copy.yaml' }))).toEqual([])
    expect(placesIn(other, service([departure(pointer)]))).toEqual([pointer.slice(1)])
    const second = service([departure('#/paths', '../v1/users.yaml')], { contract: '../v1/users.yaml' })
    expect(placesIn(second, service([departure(pointer)]))).toEqual([pointer.slice(1)])
    const same = [service([]), service([], { name: 'users-2' })]
    expect(() => placesIn(other, ...same)).toThrow(/several services .*: users \(Users\), users-2 \(Users\)\. Limit the report to one of them with `concord-generate --service`/)
  })

  it('may be in a contract from a URL', () => {
    const url = 'https://a.example/specs/users.yaml'
    const own = readSpec({ ...document, 'x-files': { 'b.yaml': { B: {} } } }, { file: 'users.yaml' })
    const departures = [departure(pointer, url), departure('#/B', 'https://a.example/specs/b.yaml')]
    const report = fileOf({ services: [service(departures, { contract: url })] })
    expect([...widenedPlaces(report, own)]).toEqual([pointer.slice(1), '/x-files/b.yaml/B'])
  })

  it.each([
    ['not JSON', '# Fidelity report', /can't be read: .* is not valid JSON/],
    ['another object', { name: 'users' }, /isn't a fidelity report/],
    ['a run that failed', { ok: false, message: '', problems: [] }, /isn't a fidelity report/],
    ['no service', { services: [] }, /isn't a fidelity report/],
    ['a service without departures', { services: [{ ...service([]), departures: undefined }] }, /isn't a fidelity report/],
    ['a service without a contract', { services: [service([], { contract: undefined })] }, /isn't a fidelity report/],
    ['a departure without a place', { services: [service([{ effect: 'widened' }])] }, /isn't a fidelity report/],
    ["a place that isn't a pointer", { services: [service([departure('paths')])] }, /isn't a fidelity report/],
    ['another contract', { services: [service([], { title: 'Books' })] }, /is about users \(Books\), not about the contract `Users`\./],
    ['another version', { services: [service([departure('#/components/schemas/Gone/pattern')])] }, /refers to #\/components\/schemas\/Gone\/pattern in specs\/users\.yaml, but the contract \/repo\/specs\/users\.yaml doesn't contain this place/],
  ])('a fidelity report of %s is an error', async (_name, content, message) => {
    const fidelity = fileOf(content)
    const subject = { service: 'users', call: () => Promise.reject(new Error('unused')) }
    const error: unknown = await createContractSuite({ spec, subject: subject as never, prism: false, fidelity }).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(ContractError)
    expect(error).toMatchObject({
      code: 'invalid-options',
      message: expect.stringMatching(message),
      remedy: expect.stringContaining('concord-generate --report fidelity.json'),
    })
  })

  it('a fidelity report that does not exist is an error', () => {
    expect(() => widenedPlaces('missing/fidelity.json', spec)).toThrow(/missing\/fidelity\.json can't be read: ENOENT/)
  })
}) // prettier-ignore

type User = { readonly name?: unknown; readonly code?: unknown }

/** Whether a correct client accepts a value. It doesn't check the pattern of `name`. */
const isUser = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { name, code } = value as User
  return typeof name === 'string' && (code === undefined || code === 'b')
}

/** The tests that fail for a client that accepts the values that `accepts` does, and the notes of those that compare values. */
async function failuresOf(accepts: (value: unknown) => boolean, report: string | undefined) {
  class Users {
    readonly #options: { readonly allServers: string; onDrift(drift: object): void }
    readonly withResponse = {
      listUsers: async () => {
        const response = await fetch(`${this.#options.allServers}/users`)
        const data: unknown = await response.json()
        if (!accepts(data)) this.#options.onDrift({ issues: [{ path: '', reason: 'is wrong' }] })
        return { status: response.status, data }
      },
    }
    constructor(options: { readonly allServers: string; onDrift(drift: object): void }) {
      this.#options = options
    }
    async close(): Promise<void> {}
  }
  const schema = { '~standard': { validate: (value: unknown) => (accepts(value) ? {} : { issues: [1] }) } }
  const tests: [string, () => Promise<void>][] = []
  const ends: (() => Promise<void>)[] = []
  const suite = await describeClient({
    spec,
    client: Users,
    schemas: { user: schema },
    ...(report !== undefined && { fidelity: report }),
    describe: (_name, define) => define(),
    it: (name, run) => tests.push([name, run]),
    afterAll: (end) => ends.push(end),
  })
  const failures: string[] = []
  for (const [name, run] of tests) await run().catch(() => failures.push(name))
  for (const end of ends) await end()
  const notes = suite
    .report({ skip: ['emulator'] })
    .rows.flatMap(({ cells }) => cells['validators']?.note ?? [])
  return { failures, notes }
}

describe('a widened place', () => {
  const [component, response] = ['schema User - - -: validators', 'response listUsers 200 application/json example: validators']
  const report = () => fileOf({ services: [service([departure(pointer)])] })

  it('lets a client accept the values that the contract rejects only because of it, and the notes say so', async () => {
    expect((await failuresOf(isUser, undefined)).failures).toEqual([component, response])
    const { failures, notes } = await failuresOf(isUser, report())
    expect(failures).toEqual([])
    const open = notes.filter((note) => / [1-9]\d* invalid values weren't compared, since the client is allowed to accept them\.$/.test(note))
    expect(open).toHaveLength(2)
  })

  it('lets no client accept other values, neither there nor elsewhere', async () => {
    const withoutType = (value: unknown) => isUser(value) || isUser({ ...(value as User), name: '' })
    const withoutCode = (value: unknown) => isUser(value) || isUser({ ...(value as User), code: 'b' })
    for (const accepts of [withoutType, withoutCode])
      expect((await failuresOf(accepts, report())).failures).toEqual([component, response])
  })

  it('lets no client reject valid values', async () => {
    const wrong = (value: unknown) => isUser(value) && (value as User).name !== 'a'
    expect((await failuresOf(wrong, report())).failures).toEqual(expect.arrayContaining([component, response]))
  })
}) // prettier-ignore
