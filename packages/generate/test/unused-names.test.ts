import { expect, it } from 'vitest'

import { inFolder } from '../src/corpus/scratch.ts'
import { print } from '../src/generate.ts'
import { readService } from '../src/normalize/service.ts'
import { parseSource } from '../src/read/source.ts'
import type { Service } from '../src/services.ts'
import { typeCheck } from './support/compiler.ts'
import { documentOf } from './support/generated.ts'

const content = (type: string, schema: object = { type: 'string' }) => ({ [type]: { schema } })
const get = (responses: object, others: object = {}) => ({
  paths: { '/a': { get: { operationId: 'getA', responses, ...others } } },
})
const ok = (body: object) => ({ 200: { description: '', content: body } })
const openapi: Readonly<Record<string, object>> = {
  'only-schemas': { components: { schemas: { Thing: { type: 'object' } } } },
  'no-body': get({ 204: { description: '' } }),
  'several-media-types': get(ok({ ...content('application/json'), ...content('text/plain') })),
  'only-a-stream': get(ok(content('text/event-stream'))),
  'only-bytes': get(ok(content('application/octet-stream'))),
  'only-headers': get({ 204: { description: '', headers: { 'X-A': { schema: { type: 'string' } } } } }),
  'a-key': {
    ...get({ 204: { description: '' } }, { security: [{ key: [] }] }),
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
  },
}
const asyncapi = {
  asyncapi: '3.0.0',
  info: { title: 'T', version: '1' },
  channels: { a: { address: '/a', messages: { m: { payload: { type: 'string' } } } } },
}
const socket = { ...asyncapi, servers: { main: { host: 'a.example', protocol: 'wss' } } }

it('no generated file of a small contract has an import, a local or a parameter that it does not use', async () => {
  const sources = [
    ...Object.entries(openapi).map(([name, members]) => [name, documentOf(members)] as const),
    ...Object.entries({ 'no-transport': asyncapi, 'only-a-socket': socket }).map(
      ([name, value]) => [name, parseSource(JSON.stringify(value), 'asyncapi.json')] as const,
    ),
  ]
  const files = new Map<string, string>()
  for (const [name, source] of sources) {
    const folders = { client: { folder: name }, validators: { folder: name } }
    const service: Service = { name, openapi: 'a', apiName: 'TheApi', className: 'The', ...folders }
    const printed = await print(
      await readService(source, undefined, { apiName: 'TheApi', strict: false }),
      service,
    )
    for (const [file, text] of printed) files.set(file, text)
  }
  await inFolder(files, (folder) => {
    const lines = typeCheck(folder, [...files.keys()], {}).split('\n')
    expect(lines.filter((line) => line.includes('error') && !line.includes('runtime/src/'))).toEqual([])
  })
})
