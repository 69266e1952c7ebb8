import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { ContractError } from './errors.ts'
import { resolveAt } from './json.ts'
import { loadSocketSpec, loadSpec, readSpecFile } from './load.ts'

const folder = mkdtempSync(join(tmpdir(), 'concord-load-'))
const pages: Record<string, string> = {
  '/schemas/lamp.yaml': 'type: object\nrequired: [id]\nproperties: { id: { $ref: ./id.yaml } }\n',
  '/schemas/id.yaml': 'type: string\nminLength: 3\n',
  '/schemas/text.yaml': 'only words\n',
}
const asked: string[] = []
const server = createServer((request, response) => {
  asked.push(request.url ?? '')
  const page = pages[request.url?.split('?')[0] ?? '']
  if (request.url === '/away') response.writeHead(302, { location: 'http://elsewhere.invalid/' }).end()
  else response.writeHead(page === undefined ? 404 : 200).end(page)
})
let origin = ''
let host = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  origin = `http://${host}`
  pages['/openapi.json'] = openapi('./schemas/lamp.yaml')
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true })
})

const openapi = (reference: string): string =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Lamps', version: '1' },
    paths: {
      '/lamps': {
        get: {
          operationId: 'getLamp',
          responses: { 200: { content: { 'application/json': { schema: { $ref: reference } } } } },
        },
      },
    },
  })
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

describe('documents at http URLs', () => {
  it('a document at a URL is not fetched unless its host is allowed, and the error says how to allow it', async () => {
    const contract = file('lamps.json', openapi(`${origin}/schemas/lamp.yaml?key=a-secret`))
    const before = asked.length
    const problem = await loadSpec(contract).catch((error: Error) => error.message)
    expect(problem).toContain(`refers to ${origin}/schemas/lamp.yaml, whose host isn't allowed`)
    expect(problem).toContain(`--allow-host ${host}`)
    expect(problem).not.toContain('a-secret')
    expect(asked).toHaveLength(before)
  })

  it('each document at an allowed host is fetched once, with the documents that it refers to', async () => {
    const contract = file('lamps.json', openapi(`${origin}/schemas/lamp.yaml?key=a-secret`))
    const before = asked.length
    const spec = await loadSpec(contract, { allowHosts: ['127.0.0.1'] })
    expect(asked.slice(before)).toEqual(['/schemas/lamp.yaml?key=a-secret', '/schemas/id.yaml'])
    expect(JSON.stringify(spec.document)).toContain('"minLength":3')
  })

  it("a `$ref` in an example or a constant isn't fetched, but a named example can be", async () => {
    const data = { $ref: `${origin}/schemas/other.yaml` }
    const document = JSON.parse(openapi('./schemas/lamp.yaml')) as { paths: Record<string, unknown> }
    const schema = { const: data, default: data, enum: [data], examples: [data] }
    document.paths['/lamps'] = {
      put: {
        operationId: 'putLamp',
        requestBody: {
          content: {
            'application/json': {
              schema: { properties: { lamp: schema, default: { $ref: './schemas/id.yaml' } } },
              examples: { data: { value: data }, named: { $ref: './schemas/text-example.yaml' } },
            },
          },
        },
        responses: { default: { $ref: './schemas/denied.yaml' } },
      },
    }
    pages['/examples.json'] = JSON.stringify(document)
    pages['/schemas/text-example.yaml'] = 'value: { default: abc }\n'
    pages['/schemas/denied.yaml'] = 'description: Denied.\n'
    const before = asked.length
    const { operations } = await loadSpec(`${origin}/examples.json`)
    expect(asked.slice(before)).toEqual([
      '/examples.json',
      '/schemas/id.yaml',
      '/schemas/text-example.yaml',
      '/schemas/denied.yaml',
    ])
    expect(operations[0]?.body?.media[0]?.examples).toEqual([
      { name: 'data', value: data },
      { name: 'named', value: { default: 'abc' } },
    ])
  })

  it('a contract at a URL may refer to documents at its own host', async () => {
    const spec = await loadSpec(`${origin}/openapi.json?key=a-secret`)
    expect(spec.operations.map(({ id }) => id)).toEqual(['getLamp'])
    expect(spec.file).toBe(`${origin}/openapi.json`)
  })

  it.each([
    ['/missing.yaml', 'the response has status 404'],
    ['/away', 'could not be fetched'],
    ['/schemas/text.yaml', "isn't an object"],
  ])('%s is an error with its reason', async (path, reason) => {
    const contract = file('lamps.json', openapi(`${origin}${path}`))
    await expect(loadSpec(contract, { allowHosts: [host] })).rejects.toThrow(reason)
  })
})

it('a file that another one refers to, but that is missing, is an error with its path', async () => {
  const contract = file('lamps.json', openapi('./none.yaml'))
  await expect(loadSpec(contract)).rejects.toThrow(
    `${join(folder, 'none.yaml')} can't be read: the file is missing. Correct the path that refers to this file`,
  )
})

describe('an AsyncAPI 2 document', () => {
  const old = JSON.stringify({
    asyncapi: '2.4.0',
    info: { title: 'Lamps, live', version: '1' },
    servers: { main: { url: 'lamps.example', protocol: 'wss', security: [{ key: [] }] } },
    channels: {
      '/lamps/{id}': {
        parameters: { id: { schema: { type: 'string', minLength: 1, enum: ['desk'] } } },
        publish: {
          message: {
            messageId: 'dim',
            payload: { type: 'array', items: [{ const: 'dim' }], additionalItems: false },
          },
        },
        subscribe: { message: { oneOf: [{ $ref: '#/components/messages/dimmed' }, { name: 'broken' }] } },
      },
    },
    components: {
      messages: { dimmed: { payload: { type: 'object' } } },
      securitySchemes: { key: { type: 'httpApiKey', in: 'header', name: 'X-Key' } },
    },
  })

  it('is read as AsyncAPI 3, with its channels, messages, parameters and credentials', async () => {
    const { channels, securitySchemes } = await loadSocketSpec(file('old.json', old))
    expect(channels).toHaveLength(1)
    const [channel] = channels
    expect(channel).toMatchObject({
      address: '/lamps/{id}',
      parameters: { id: ['desk'] },
      security: [['key']],
    })
    expect(channel?.sends.map(({ key }) => key)).toEqual(['dim'])
    expect(channel?.receives.map(({ key }) => key)).toEqual(['dimmed', 'broken'])
    expect(channel?.sends[0]?.schema?.schema).toMatchObject({ prefixItems: [{ const: 'dim' }], items: false })
    expect(securitySchemes).toEqual({ key: { type: 'apiKey', in: 'header', name: 'X-Key' } })
  })

  it('its messages have different ids, in any order of references and names', async () => {
    const named = { name: 'dimmed' }
    const reference = { $ref: '#/components/messages/dimmed' }
    const several = JSON.parse(old) as { channels: Record<string, { subscribe: { message: object } }> }
    several.channels['/lamps/{id}']!.subscribe.message = {
      oneOf: [named, { ...named, summary: 'Again.' }, reference, { ...named, summary: 'Once more.' }],
    }
    const { channels } = await loadSocketSpec(file('several.json', JSON.stringify(several)))
    const keys = channels[0]!.receives.map(({ key }) => key)
    expect(keys).toHaveLength(4)
    expect(new Set(keys).size).toBe(4)
  })

  it('an AsyncAPI 2 document that the converter rejects is an error', async () => {
    const broken = old.replace('"channels":{', '"channels":{"a":7,')
    await expect(loadSocketSpec(file('old.json', broken))).rejects.toThrow(/can't be converted|uses/)
  })
})

it('a reference can have percent-encoded characters', async () => {
  const paths = {
    '/lamps/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', minLength: 2 } }],
      get: { operationId: 'getLamp', responses: { 204: { description: 'None' } } },
    },
    '/lights/{id}': { $ref: '#/paths/~1lamps~1%7Bid%7D' },
  }
  const encoded = file(
    'encoded.json',
    JSON.stringify({ openapi: '3.1.0', info: { title: 'Lamps', version: '1' }, paths }),
  )
  const { operations } = await loadSpec(encoded)
  expect(operations.map(({ path, parameters }) => [path, parameters[0]?.schema.schema])).toEqual([
    ['/lamps/{id}', { type: 'string', minLength: 2 }],
    ['/lights/{id}', { type: 'string', minLength: 2 }],
  ])
})

it.each(['http://', 'https://[/lamps.json'])('the invalid URL %s is an error of ours', async (address) => {
  await expect(loadSpec(address)).rejects.toThrow(ContractError)
  const contract = file('invalid-url.json', openapi(address))
  await expect(loadSpec(contract)).rejects.toThrow(ContractError)
})

it('the error about a reference to a URL shows neither its query nor its password', () => {
  const contract = file('secret.json', openapi('https://kim:a-word@lamps.example/lamp.yaml?key=a-secret'))
  const read = () => readSpecFile(contract)
  expect(read).toThrow("refers to https://lamps.example/lamp.yaml, which isn't a file path")
  expect(read).not.toThrow(/a-secret|a-word/)
})

it('a reference that leads back to itself has no value', () => {
  const document = { a: { $ref: '#/b' }, b: { $ref: '#/a' }, c: { $ref: '#/d' }, d: 5 }
  expect(resolveAt(document, '/a')).toBeUndefined()
  expect(resolveAt(document, '/c')).toBe(5)
})

it("the path of a file isn't the name of a service, even if it looks like one", async () => {
  writeFileSync(join(folder, 'speech'), openapi('./id.yaml'))
  writeFileSync(join(folder, 'id.yaml'), 'type: string\n')
  const before = process.cwd()
  process.chdir(folder)
  try {
    expect((await loadSpec('speech')).name).toBe('Lamps')
  } finally {
    process.chdir(before)
  }
})

it('leaves out header parameters that OpenAPI ignores, or that the connection sets', async () => {
  const file = join(folder, 'ignored.json')
  const header = (name: string) => ({ name, in: 'header', required: true, schema: { type: 'string' } })
  const parameters = ['Accept', 'content-type', 'Authorization', 'Host', 'X-Trace'].map(header)
  const get = { operationId: 'getLamp', parameters, responses: { 204: { description: 'None' } } }
  const info = { title: 'Lamps', version: '1' }
  writeFileSync(file, JSON.stringify({ openapi: '3.1.0', info, paths: { '/lamps': { get } } }))
  const [operation] = (await loadSpec(file)).operations
  expect(operation?.parameters.map(({ name }) => name)).toEqual(['X-Trace'])
})
