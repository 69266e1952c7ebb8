import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'

import { memorySockets, memoryTransport, virtualClock } from '@concord/runtime/testing'
import { beforeAll, describe, expect, it } from 'vitest'

import { inFolder } from '../src/corpus/scratch.ts'
import type { GeneratedFiles } from '../src/generate.ts'
import { errorsIn, typeCheck } from './support/compiler.ts'
import { generateFixture, packagesOf, runnable } from './support/loaded-class.ts'

const consumer = readFileSync(join(import.meta.dirname, 'fixtures/tides/consumer.ts'), 'utf8')

type Options = Readonly<Record<string, unknown>>
type Methods = Readonly<Record<string, (input?: unknown) => Promise<unknown>>>
interface TidesClient {
  readonly api: Methods
  readonly surveys: Methods
}
interface TidesClass {
  new (options?: Options): TidesClient
  fromEnv(options?: Options, env?: Readonly<Record<string, string>>): TidesClient
}

const secrets = {
  headerKey: 'header-secret',
  queryKey: 'query&secret',
  sessionCookie: 'cookie-secret',
  oauth: () => 'oauth-secret',
  basic: { username: 'user', password: 'basic-secret' },
  bearer: { get: async () => 'bearer-secret' },
  openId: 'open-id-secret',
}
const gauge = { id: 'g1', level: 1.5 }

/** The parts of the service that the consumer uses, and the requests that it received. */
function emulate() {
  const seen: string[] = []
  let polls = 0
  const responses: Readonly<Record<string, () => Response>> = {
    'GET /v2/gauges': () => Response.json([gauge]),
    'GET /v2/gauges/g%2F1': () => Response.json(gauge),
    'POST /v2/surveys': () => Response.json({ id: 's1', status: 'running' }, { status: 202 }),
    'GET /v2/surveys/s1': () => Response.json({ id: 's1', status: polls++ === 0 ? 'running' : 'done' }),
    'GET /v2/account': () => Response.json({ name: 'harbor' }),
    'GET /charts/c1': () => Response.json({ scale: 1000 }),
  }
  const transport = memoryTransport((request) => {
    const { host, pathname, search } = new URL(request.url)
    const sent = ['x-tides-key', 'authorization', 'cookie'].map((name) => request.headers.get(name))
    seen.push([host, pathname, search, ...sent.filter((value) => value !== null)].join(' '))
    const response = responses[`${request.method} ${pathname}`]
    return response?.() ?? new Response(null, { status: 404 })
  })
  const sockets = memorySockets((peer) => {
    peer.onMessage = () => peer.send(JSON.stringify({ type: 'level', gauge: 'g1', level: 2.25 }))
  })
  const { socketFactory } = sockets
  return { seen, sockets, options: { transport, socketFactory, clock: virtualClock() } }
}

describe('a generated client class', () => {
  let files: GeneratedFiles
  let Tides: TidesClass
  let useTides: (options: Options) => Promise<unknown[]>
  let schemes: unknown

  beforeAll(async () => {
    files = await generateFixture('tides')
    const all = runnable('tides', new Map([...files, ['consumer.ts', consumer]]))
    await inFolder(all, async (folder) => {
      const load = (file: string) => import(/* @vite-ignore */ join(folder, file))
      Tides = (await load('client/client.gen.ts')).Tides
      useTides = (await load('consumer.ts')).useTides
      schemes = (await load('client/security.gen.ts')).securitySchemes
    })
  })

  it('type-checks, with options that are typed from the contract', async () => {
    expect(await typeCheck(files, consumer, packagesOf('tides'))).toBe('')
    expect(await errorsIn(files, { entries: ['client/security.gen.ts'] })).toEqual([])
  })

  it('makes every kind of call with the credentials that the contract asks for', async () => {
    const { seen, sockets, options } = emulate()
    expect(await useTides({ ...secrets, ...options })).toEqual([
      1,
      1.5,
      200,
      'done',
      's1',
      's1',
      'harbor',
      1000,
      '2.3',
    ])
    expect(seen).toEqual([
      'eu.tides.example /v2/gauges ?near=harbor header-secret',
      'eu.tides.example /v2/gauges/g%2F1 ?tides_key=query%26secret',
      'eu.tides.example /v2/surveys  Bearer oauth-secret',
      'eu.tides.example /v2/surveys/s1  Bearer bearer-secret',
      'eu.tides.example /v2/surveys/s1  Bearer bearer-secret',
      'eu.tides.example /v2/surveys/s1  Bearer bearer-secret',
      'eu.tides.example /v2/surveys  Bearer oauth-secret',
      'eu.tides.example /v2/surveys/s1  Bearer bearer-secret',
      'eu.tides.example /v2/account ?tides_key=query%26secret header-secret theme=dark; tides_session=cookie-secret',
      'charts.tides.example /charts/c1  tides_session=cookie-secret',
    ])
    expect(sockets.requests[0]?.url).toMatch(/\/live\/levels\?tides_key=query%26secret$/)
  })

  it('uses the second credential of two, and none where the contract allows that', async () => {
    const { seen, options } = emulate()
    const { basic } = secrets
    const tides = new Tides({ ...options, basic })
    await tides.surveys['startSurvey']?.({ body: { gauges: [] } })
    await tides.surveys['getSurvey']?.({ path: { survey_id: 's1' } })
    expect(seen).toEqual([
      `eu.tides.example /v2/surveys  Basic ${btoa('user:basic-secret')}`,
      'eu.tides.example /v2/surveys/s1 ',
    ])
    const lacking = new Tides(options)
    await expect(lacking.surveys['startSurvey']?.({ body: { gauges: [] } })).rejects.toThrow(
      /needs a credential: `oauth`, or `basic`/,
    )
  })

  it.each([
    ['a server by its name', { server: 'sandbox' }, 'sandbox.tides.example /gauges'],
    [
      'values of variables',
      { serverVariables: { region: 'us', version: 'v3' } },
      'us.tides.example /v3/gauges',
    ],
    ['an address of the caller', { baseUrl: 'http://localhost:8080/api/' }, 'localhost:8080 /api/gauges'],
  ])('is sent to %s', async (_name, choice, address) => {
    const { seen, options } = emulate()
    const tides = new Tides({ ...options, ...secrets, ...choice })
    await tides.api['listGauges']?.().catch(() => undefined)
    expect(seen[0]).toContain(address)
  })

  it('sends every call to one address, except for servers with an address of their own', async () => {
    const { seen, options } = emulate()
    const call = async (choice: Options, env = {}) => {
      const tides = Tides.fromEnv({ ...options, ...secrets, ...choice }, env)
      await tides.api['listGauges']?.().catch(() => undefined)
      await tides.api['getChart']?.({ path: { chart_id: 'c1' } })
      return seen.splice(0).map((line) => line.split(' ').slice(0, 2).join(''))
    }
    const allServers = 'http://localhost:8081'
    const everywhere = ['localhost:8081/gauges', 'localhost:8081/charts/c1']
    expect(await call({ allServers })).toEqual(everywhere)
    expect(await call({ allServers }, { TIDES_BASE_URL: 'https://env.example' })).toEqual(everywhere)
    const baseUrl = 'https://own.example'
    expect(await call({ allServers, baseUrl })).toEqual(['own.example/gauges', 'localhost:8081/charts/c1'])
    expect(() => new Tides({ allServers: 'localhost' })).toThrow(/`allServers` is not an absolute http/)
  })

  it.each([
    ['a server that the contract lacks', { server: 'staging' }, 'server'],
    ['a variable that the contract lacks', { serverVariables: { zone: 'a' } }, 'serverVariables.zone'],
    ['a value that the contract lacks', { serverVariables: { region: 'asia' } }, 'serverVariables.region'],
    ['a misspelt option', { hederKey: 'x' }, 'hederKey'],
    ['a misspelt delay', { polling: { minDelay: 1 } }, 'polling.minDelay'],
    ['an address without a scheme', { baseUrl: 'tides.example' }, 'baseUrl'],
    ['half of a user', { basic: { username: 'user' } }, 'basic.password'],
  ])('rejects %s', (_name, options, option) => {
    expect(() => new Tides(options)).toThrow(expect.objectContaining({ code: 'invalid-options', option }))
  })

  it('reads the environment, in which nothing is required, and which options override', async () => {
    const { seen, options } = emulate()
    const env = {
      TIDES_BASE_URL: 'https://env.example',
      TIDES_HEADER_KEY: 'key-of-env',
      TIDES_BASIC_USERNAME: 'u',
      TIDES_BASIC_PASSWORD: 'p',
      TIDES_BEARER: '',
    }
    const call = async (own: Options) => {
      const tides = Tides.fromEnv({ ...options, ...own }, env)
      await tides.api['listGauges']?.().catch(() => undefined)
      return seen.at(-1)
    }
    expect(await call({})).toBe('env.example /gauges  key-of-env')
    expect(await call({ baseUrl: 'https://own.example', headerKey: 'own' })).toBe('own.example /gauges  own')
    expect(await call({ server: 'sandbox' })).toBe('sandbox.tides.example /gauges  key-of-env')
    expect(() => Tides.fromEnv({}, {})).not.toThrow()
    expect(() => Tides.fromEnv({}, { TIDES_BASIC_USERNAME: 'u' })).toThrow(/TIDES_BASIC_PASSWORD/)
  })

  it('R-11: shows no secret when it is inspected', () => {
    const tides = new Tides(secrets)
    expect(inspect(tides, { depth: 9, showHidden: true }) + JSON.stringify(tides)).not.toMatch(
      /secret'|-secret/,
    )
  })

  it('has where tokens come from as plain data', () => {
    expect(schemes).toMatchObject({
      oauth: { flows: { clientCredentials: { tokenUrl: 'https://id.tides.example/token' } } },
      openId: { openIdConnectUrl: 'https://id.tides.example/.well-known/openid-configuration' },
    })
  })

  it('has documentation from the contract, in which nothing ends a comment', () => {
    const text = files.get('client/client.gen.ts') ?? ''
    expect(text).toContain(String.raw`Gauges measure the level of the sea. *\/ export const broken = 1 /*`)
    expect(text).toContain('- `TIDES_BASIC_PASSWORD`: `basic.password`')
    expect(text).not.toMatch(/^\s*export const broken/m)
  })
})
