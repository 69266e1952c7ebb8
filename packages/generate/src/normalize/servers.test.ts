import { describe, expect, it } from 'vitest'

import { documentOf, modelOf } from '../../test/support/generated.ts'

const get = (operationId: string, servers?: unknown) => ({
  get: { operationId, responses: {}, ...(servers === undefined ? {} : { servers }) },
})

async function read(servers: unknown, paths: object) {
  const more = servers === undefined ? {} : { servers }
  const { operations } = await modelOf(documentOf({ ...more, paths }))
  return Object.fromEntries(operations.map(({ id, server, addresses }) => [id, { server, addresses }]))
}

const a = { url: 'https://a.example' }
const b = { url: 'https://b.example/v2' }

describe('servers', () => {
  it('those of the document are baseUrl, and others are named after their host', async () => {
    const operations = await read([a], {
      '/root': get('root'),
      '/path': { ...get('path'), servers: [b] },
      '/own': { ...get('own', [a]), servers: [b] },
      '/other': get('other', [{ url: 'https://b.example/v3' }]),
      '/files': get('files', [{ url: '{files_url}/v1' }]),
    })
    expect(Object.entries(operations).map(([id, { server }]) => [id, server])).toEqual([
      ['root', 'baseUrl'],
      ['path', 'bExampleUrl'],
      ['own', 'baseUrl'],
      ['other', 'bExampleUrl2'],
      ['files', 'filesUrl'],
    ])
  })

  it('the first ones are baseUrl if the document has none', async () => {
    const operations = await read(undefined, { '/one': get('one', [b]), '/two': get('two', [a]) })
    expect([operations['one']?.server, operations['two']?.server]).toEqual(['baseUrl', 'aExampleUrl'])
    expect((await read(undefined, { '/one': get('one') }))['one']).toEqual({
      server: 'baseUrl',
      addresses: [],
    })
  })

  it('are picked by their names, their descriptions or their hosts', async () => {
    const list = [
      { ...a, name: 'Main site' },
      { ...b, description: 'For tests' },
      { url: 'https://c.example', description: 'For tests' },
      {
        url: 'https://d.example/v1',
        description: 'A long text about everything that this server is good for',
      },
      { url: '/v1' },
      { description: 'No address' },
    ]
    const { addresses } = (await read(list, { '/one': get('one') }))['one'] ?? {}
    expect(addresses?.map(({ name, url }) => [name, url])).toEqual([
      ['mainSite', a.url],
      ['forTests', b.url],
      ['forTests2', 'https://c.example'],
      ['dExampleV1', 'https://d.example/v1'],
      ['v1', '/v1'],
    ])
  })

  it('on the own machine are not the default if the document lists a remote one', async () => {
    const orderOf = async (...urls: readonly string[]) =>
      (
        await read(
          urls.map((url) => ({ url })),
          { '/one': get('one') },
        )
      )['one']?.addresses.map(({ url }) => url)
    const local = [
      'http://localhost:8080',
      'https://127.0.0.1/v1',
      'http://[::1]:3000',
      'http://api.localhost',
    ]
    expect(await orderOf(...local, a.url, b.url)).toEqual([a.url, b.url, ...local])
    expect(await orderOf(...local)).toEqual(local)
    expect(await orderOf('http://localhost', '/v1')).toEqual(['http://localhost', '/v1'])
    const similar = 'https://localhost.example'
    expect(await orderOf(similar, a.url)).toEqual([similar, a.url])
  })

  it('have variables, documented or not', async () => {
    const variables = {
      region: { default: 'eu', enum: ['eu', 'us'], description: 'Where.' },
      port: { default: 80 },
    }
    const list = [{ url: 'https://{region}.a.example:{port}/{base}', variables }]
    const { addresses } = (await read(list, { '/one': get('one') }))['one'] ?? {}
    expect(addresses?.[0]?.variables).toEqual({ ...variables, port: { default: '80' }, base: {} })
  })
})
