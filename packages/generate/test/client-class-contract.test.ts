import { join } from 'node:path'

import { type Credentials, describeClient, type DescribeClientOptions } from '@concord/contract'
import type { Client } from '@concord/runtime'
import { beforeAll, describe, expect, it } from 'vitest'

import { inFolder } from '../src/corpus/scratch.ts'
import {
  generateFixture,
  loadModules,
  type LoadedModules,
  passContractTests,
  sizes,
} from './support/loaded-class.ts'

const fixtures = join(import.meta.dirname, 'fixtures')
interface TidesClient extends AsyncDisposable {
  readonly withResponse: object
  readonly client: Client
}
type TidesClass = new (options: object) => TidesClient

/** Turns the credentials of a contract test into options of the class. In the test, a user name and a password are one string. */
function credentialOptions({ basic, ...secrets }: Credentials): object {
  const [username = '', password = ''] = (basic ?? '').split(':')
  return { ...secrets, ...(basic === undefined ? {} : { basic: { username, password } }) }
}

describe('a generated client class keeps to its contract', () => {
  let modules: LoadedModules
  let Tides: TidesClass

  beforeAll(async () => {
    modules = await loadModules('tides', await generateFixture('tides'))
    Tides = modules['client/client']?.['Tides'] as TidesClass
  })

  it('R-40: for requests, responses and credentials of every kind', async () => {
    const tested = await passContractTests('tides', modules, ({ servers, credentials }, options) => {
      const addresses = Object.values(servers)
      return new Tides({
        ...options,
        baseUrl: servers['https://{region}.tides.example/{version}'] ?? addresses[0],
        chartsTidesExampleUrl: servers['https://charts.tides.example'] ?? addresses[1],
        ...credentialOptions(credentials),
      })
    })
    expect(tested.length).toBeGreaterThan(30)
  })

  const schemasOf = () => modules['validators/index'] ?? {}
  const describedBy = (more: Partial<DescribeClientOptions> = {}) =>
    findingsOf({
      spec: join(fixtures, 'tides/openapi.yaml'),
      client: Tides as never,
      schemas: schemasOf(),
      sizes,
      ...more,
    })

  it('R-40: as describeClient defines the tests, with nothing but the contract and the class', async () => {
    expect(await describedBy()).toEqual([])
    const [chart, main] = ['https://charts.tides.example', 'https://{region}.tides.example/{version}']
    const own = describedBy({
      options: ({ servers }, { allServers, ...rest }) => ({
        ...rest,
        ...(allServers !== undefined && { baseUrl: servers[main], chartsTidesExampleUrl: servers[chart] }),
      }),
    })
    expect(await own).toEqual([])
  })

  it('R-40: not if it was generated from another contract, whatever of it differs', async () => {
    class Wrong extends Tides {
      override readonly withResponse = { ...this.client, listGauges: undefined }
    }
    const found = await describedBy({ client: Wrong as never })
    expect(found.join('\n')).toContain('The client has no operation')
    const loose = { ...schemasOf(), gauge: { '~standard': { validate: (value: unknown) => ({ value }) } } }
    expect((await describedBy({ schemas: loose })).join('\n')).toContain(
      'schema Gauge - - -: validators: Gauge: the validator accepts a value that Ajv rejects',
    )
  })

  const socketsOf = (more: Partial<DescribeClientOptions> = {}) =>
    findingsOf({
      sockets: join(fixtures, 'tides/asyncapi.yaml'),
      client: Tides as never,
      channels: modules['client/channels'] ?? {},
      sizes,
      ...more,
    })

  it('R-50: for handshakes and messages, with nothing but the contract, the class and its channels', async () => {
    expect(await socketsOf()).toEqual([])
    // Nothing is sent to the service if the options were written for the operations alone.
    const others = await socketsOf({
      options: ({ servers }, { queryKey, headerKey }) => ({
        baseUrl: servers['https://charts.tides.example'],
        ...(queryKey !== undefined && { queryKey }),
        ...(headerKey !== undefined && { headerKey }),
      }),
    })
    expect(others).toEqual([])
  })

  it('R-50: with its operations, in one report', async () => {
    const names: string[] = []
    const ends: (() => Promise<void>)[] = []
    const { checks, report } = await describeClient({
      spec: join(fixtures, 'tides/openapi.yaml'),
      sockets: join(fixtures, 'tides/asyncapi.yaml'),
      client: Tides as never,
      channels: modules['client/channels'] ?? {},
      describe: (name, define) => {
        names.push(name)
        define()
      },
      it: () => {},
      afterAll: (run) => ends.push(run),
    })
    for (const end of ends) await end()
    expect(names).toEqual(['Tides against Tides, a made-up service', 'Tides against Tides, live'])
    const kinds = new Set(checks.map(({ row }) => row.split(' ')[0]))
    expect(kinds).toEqual(new Set(['request', 'response', 'handshake', 'sent', 'received', 'rule']))
    expect(report().spec.name).toBe('Tides, a made-up service + Tides, live')
  })

  it('R-50: not if a channel, a message or a check differs from the contract', async () => {
    class Wrong extends Tides {
      readonly connectLevels = undefined
    }
    const [found] = await socketsOf({ client: Wrong as never })
    expect(found).toContain('The client has no method that opens the channel `levels`.')
    const levels = modules['client/channels']?.['levels'] as { readonly receives: object }
    const loose = { schema: () => ({ '~standard': { validate: (value: unknown) => ({ value }) } }) }
    const channels = { levels: { ...levels, receives: { level: { check: loose } } } }
    expect((await socketsOf({ channels })).join('\n')).toContain(
      'received levels level text frame (generated): validators: level: the validator accepts a value that Ajv rejects',
    )
    await expect(socketsOf({ channels: {} })).rejects.toThrow('`channels` has no channel `levels`.')
  })
})

describe('a generated client class of an unusual contract', () => {
  it('R-40: keeps to it but for what its report lists; tests without a valid example in the contract are skipped', async () => {
    const files = await generateFixture('corners')
    const modules = await loadModules('corners', files)
    const options = {
      spec: join(fixtures, 'corners/openapi.yaml'),
      client: modules['client/client']?.['Corners'] as never,
      schemas: modules['validators/index'] ?? {},
      sizes,
    }
    const unaware = await testsOf(options)
    const found = await inFolder(files, (folder) =>
      testsOf({ ...options, fidelity: join(folder, 'fidelity.json') }),
    )
    expect(unaware.failed).toEqual([
      expect.stringMatching(
        /^schema Widget .* the validator accepts a value that Ajv rejects \(the example, with this change: \/code/,
      ),
      expect.stringMatching(
        /^webhook widgetMade .* the validator accepts a value that Ajv rejects \(the example, with this change: \/code/,
      ),
    ])
    expect(found.failed).toEqual([])
    const [request, response] = [
      "request: the example violates the contract: the value must have required property 'secret'",
      'response.body: the example violates the contract: must be object',
    ]
    const form = 'request: the example violates the contract: /a must be string'
    const missing =
      'request: the parameter `code` has no valid example, and no value could be generated; add an example'
    const noBody = ': request: has no example, and no valid body could be generated; add an example'
    const unsent = found.skipped.filter((test) => test.endsWith(noBody))
    expect(unsent).toHaveLength(15)
    // The second of two operations with one operationId has a number.
    expect(unsent.filter((test) => !/^(?:request|response) sendNothing2? /.test(test))).toEqual([])
    expect(found.skipped.filter((test) => !unsent.includes(test))).toEqual([
      `request findCode - - (generated): request: ${missing}`,
      `request sendFields - application/x-www-form-urlencoded wrong: request: ${form}`,
      `request makeWidget - application/json wrong: request: ${request}`,
      `request findCode - - (generated): mock: ${missing}`,
      `response findCode 204 - (no body): mock: ${missing}`,
      `request sendFields - application/x-www-form-urlencoded wrong: mock: ${form}`,
      `request makeWidget - application/json wrong: mock: ${request}`,
      `response makeWidget 200 application/json wrong: mock: ${response}`,
      'schema Picture - - -: validators: Picture: describes a file, so no JSON value can be tried',
      'schema Nothing - - -: validators: Nothing: no valid value could be generated',
      'schema Matryoshka - - -: validators: Matryoshka: no valid value could be generated',
      'webhook widgetMade - application/json wrong: mock: widgetMade: the example violates the contract: must be object',
      `request makeWidget - application/json wrong: validators: ${request}`,
    ])
  })
})

describe('a generated client class of unusual channels', () => {
  it('R-50: keeps to them; tests without a valid example in the contract are skipped', async () => {
    const modules = await loadModules('lights', await generateFixture('lights'))
    const found = await testsOf({
      sockets: join(fixtures, 'lights/asyncapi.yaml'),
      client: modules['client/client']?.['Lights'] as never,
      channels: modules['client/channels'] ?? {},
      sizes: { ...sizes, mutantsOverWire: 12 },
    })
    expect(found.failed).toEqual([])
    const never = 'never: no valid value could be generated (the value must NOT have additional properties)'
    const mistaken = 'mistaken: the example violates the contract: /kind must be "mistaken"'
    expect(found.skipped).toEqual([
      `sent rules never text frame (generated): request: ${never}`,
      `sent rules never text frame (generated): validators: ${never}`,
      `sent rules mistaken text frame example 1: request: ${mistaken}`,
      `sent rules mistaken text frame example 1: validators: ${mistaken}`,
    ])
  })
})

/** Defines and runs the tests of a class. Returns the failed tests with their messages. */
async function findingsOf(options: DescribeClientOptions): Promise<readonly string[]> {
  const { failed, skipped } = await testsOf(options)
  expect(skipped).toEqual([])
  return failed
}

/** The failed and the skipped tests, with their messages. */
async function testsOf(
  options: DescribeClientOptions,
): Promise<{ readonly failed: readonly string[]; readonly skipped: readonly string[] }> {
  const tests = new Map<string, (test: { skip(note: string): void }) => Promise<void>>()
  const ends: (() => Promise<void>)[] = []
  await describeClient({
    describe: (_name, define) => define(),
    it: (name, run) => tests.set(name, run),
    afterAll: (run) => ends.push(run),
    ...options,
  })
  const failed: string[] = []
  const skipped: string[] = []
  for (const [name, run] of tests)
    await run({ skip: (note) => skipped.push(`${name}: ${note}`) }).catch((error: unknown) =>
      failed.push(`${name}: ${(error as Error).message}`),
    )
  for (const run of ends) await run()
  expect(tests.size).toBeGreaterThan(options.spec === undefined ? 5 : 30)
  return { failed, skipped }
}
