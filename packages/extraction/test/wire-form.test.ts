import { memoryTransport, virtualClock } from '@concord/runtime/testing'
import { describe, expect, it } from 'vitest'

import {
  Extraction,
  startOptimization,
  type ExtractionSchema,
  type SubmitDocument,
  type SubmitOptions,
} from '../src/index.ts'
import { invoice } from './support.ts'

const id = '7d4c1f0e-9f6b-4c56-8a35-1f5f0f1c2b3a'
const response = (body: object) =>
  new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } })

/** Returns the parts of a submission on the wire, with the content of those that are strings. */
async function partsOf(
  submission: SubmitDocument & { readonly schema?: ExtractionSchema },
  options?: SubmitOptions,
): Promise<Record<string, string>> {
  let parts: Record<string, string> = {}
  await using extraction = new Extraction({
    baseUrl: 'https://extraction.example',
    apiKey: 'key-placeholder',
    transport: memoryTransport(async (request) => {
      const form = await request.formData()
      parts = Object.fromEntries(
        [...form].map(([name, value]) => [name, typeof value === 'string' ? value : `a file, ${value.name}`]),
      )
      return response({ id, status: 'queued' })
    }),
  })
  await extraction.submit(submission as SubmitDocument, options)
  return parts
}

describe('a submission on the wire', () => {
  it("contains only the file if nothing else is passed: the service's defaults are not sent", async () => {
    expect(await partsOf({ file: invoice })).toEqual({ file: 'a file, invoice.pdf' })
  })

  it('contains a schema object as a JSON string', async () => {
    const schema = { type: 'object', properties: { name: { type: 'string', title: 'Größe "x"' } } }
    const parts = await partsOf({ file: invoice, schema })
    expect(JSON.parse(parts['schema'] ?? '')).toEqual(schema)
  })

  it('contains a schema string unchanged, whatever its dialect and keywords', async () => {
    const schema = '{ "$schema":"urn:some-dialect",\n  "x-anything": [1,  2] }'
    expect(await partsOf({ file: invoice, schema })).toMatchObject({ schema })
  })

  it('contains flags as the strings true and false', async () => {
    expect(await partsOf({ file: invoice, include_images: true, include_pages: false })).toEqual({
      file: 'a file, invoice.pdf',
      include_images: 'true',
      include_pages: 'false',
    })
  })

  it("contains other parts under the caller's names", async () => {
    const extra = { parts: { 'pipeline-part': 'searchable', 'version-part': '2026-01' } }
    expect(await partsOf({ file: invoice }, { extra })).toMatchObject(extra.parts)
  })
})

// Never called: the compiler is the test. It rejects schema and blueprint together, but accepts each alone.
export const forTheCompiler = (extraction: Extraction) => [
  // @ts-expect-error
  extraction.submit({ file: invoice, schema: {}, blueprint_id: id }),
  // @ts-expect-error
  extraction.api.processDocument({ body: { file: invoice, schema: '{}', blueprint_id: id } }),
  extraction.submit({ file: invoice, schema: {} }),
  extraction.submit({ file: invoice, blueprint_id: id }),
]

describe('an optimization on the wire', () => {
  async function sent(send: (extraction: Extraction) => Promise<unknown>): Promise<Request> {
    let seen: Request | undefined
    await using extraction = new Extraction({
      baseUrl: 'https://extraction.example',
      apiKey: 'key-placeholder',
      transport: memoryTransport((request) => {
        seen = request.clone()
        return response({ job_id: 'run', blueprint_id: id, status: 'pending' })
      }),
    })
    await send(extraction)
    if (seen === undefined) throw new Error('nothing was sent')
    return seen
  }

  it('contains training documents unchanged, and the initial schema as an object', async () => {
    const body = {
      training_documents: ['https://files.example/1', 'anything at all'],
      ground_truth_data: [{ total: 1 }, { total: 2 }],
      initial_schema: { type: 'object' },
    }
    const request = await sent((extraction) => extraction.optimize(body))
    expect(request.headers.get('content-type')).toBe('application/json')
    expect(await request.json()).toEqual(body)
  })

  it('can be sent in another form, since its content type is not documented: a descriptor is plain data', async () => {
    const { check: _check, ...descriptor } = startOptimization
    const body = { kind: 'multipart', contentType: 'multipart/form-data', required: true } as const
    const input = { body: { name: 'Invoices', training_documents: [new Blob(['1']), new Blob(['2'])] } }
    const request = await sent((extraction) => extraction.send({ ...descriptor, body }, input as never))
    expect(request.headers.get('content-type')).toMatch(/^multipart\/form-data; boundary=/)
    const form = await request.formData()
    expect(form.get('name')).toBe('Invoices')
    expect(form.getAll('training_documents')).toHaveLength(2)
  })
})

describe('device authorization on the wire', () => {
  it.each([
    [{ agentName: 'Invoice reader' }, { agent_name: 'Invoice reader' }],
    [{}, {}],
  ])('is JSON with only the documented fields, and without a key: %j', async (options, expected) => {
    const seen: { path: string; type: string | null; key: string | null; body: unknown }[] = []
    await using extraction = new Extraction({
      baseUrl: 'https://extraction.example',
      apiKey: 'key-placeholder',
      clock: virtualClock(),
      transport: memoryTransport(async (request) => {
        const { pathname } = new URL(request.url)
        const { headers } = request
        const [type, key] = [headers.get('content-type'), headers.get('x-api-key')]
        seen.push({ path: pathname, type, key, body: await request.json() })
        if (pathname.endsWith('/token'))
          return response({ error: null, api_key: 'new-key', key_prefix: 'new' })
        const page = 'https://app.example/device'
        return response({
          device_code: 'a-device-code',
          user_code: 'BCDF-GHJK',
          verification_uri: page,
          verification_uri_complete: page,
          expires_in: 900,
          interval: 5,
        })
      }),
    })
    await extraction.authorizeDevice({ ...options, onPrompt: () => {}, save: () => {} })
    const common = { type: 'application/json', key: null }
    expect(seen).toEqual([
      { path: '/v1/agent/device/code', ...common, body: expected },
      { path: '/v1/agent/device/token', ...common, body: { device_code: 'a-device-code' } },
    ])
  })
})
