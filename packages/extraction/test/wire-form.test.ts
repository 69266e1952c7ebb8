import { expect, it } from 'vitest'

import {
  type Extraction,
  startOptimization,
  type ExtractionSchema,
  type SubmitDocument,
  type SubmitOptions,
} from '../src/index.ts'
import { invoice, JOB_ID as id, responding } from './support.ts'

/** Returns the parts of a submission on the wire, with the content of those that are strings. */
async function partsOf(
  submission: SubmitDocument & { readonly schema?: ExtractionSchema },
  options?: SubmitOptions,
): Promise<Record<string, string>> {
  const { extraction, requests } = responding(() => Response.json({ id, status: 'queued' }))
  await extraction.submit(submission as SubmitDocument, options)
  const form = await requests[0]!.formData()
  return Object.fromEntries(
    [...form].map(([name, value]) => [name, typeof value === 'string' ? value : `a file, ${value.name}`]),
  )
}

it('a submission on the wire contains a schema object as a JSON string', async () => {
  const schema = { type: 'object', properties: { name: { type: 'string', title: 'Größe "x"' } } }
  const parts = await partsOf({ file: invoice, schema })
  expect(JSON.parse(parts['schema'] ?? '')).toEqual(schema)
})

const schema = '{ "$schema":"urn:some-dialect",\n  "x-anything": [1,  2] }'
const flags = { include_images: true, include_pages: false }
const others = { 'pipeline-part': 'searchable', 'version-part': '2026-01' }

it.each<[string, object, SubmitOptions, object]>([
  ["only the file if nothing else is passed: the service's defaults are not sent", {}, {}, {}],
  ['a schema string unchanged, whatever its dialect and keywords', { schema }, {}, { schema }],
  ['flags as the strings true and false', flags, {}, { include_images: 'true', include_pages: 'false' }],
  ["other parts under the caller's names", {}, { extra: { parts: others } }, others],
])('a submission on the wire contains %s', async (_what, submission, options, parts) => {
  expect(await partsOf({ file: invoice, ...submission }, options)).toEqual({
    file: 'a file, invoice.pdf',
    ...parts,
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

async function sent(send: (extraction: Extraction) => Promise<unknown>): Promise<Request> {
  const { extraction, requests } = responding(() =>
    Response.json({ job_id: 'run', blueprint_id: id, status: 'pending' }),
  )
  await send(extraction)
  return requests[0]!
}

it('an optimization on the wire contains training documents unchanged, and the initial schema as an object', async () => {
  const body = {
    training_documents: ['https://files.example/1', 'anything at all'],
    ground_truth_data: [{ total: 1 }, { total: 2 }],
    initial_schema: { type: 'object' },
  }
  const request = await sent((extraction) => extraction.optimize(body))
  expect(request.headers.get('content-type')).toBe('application/json')
  expect(await request.json()).toEqual(body)
})

it('an optimization on the wire can be sent in another form, since its content type is not documented: a descriptor is plain data', async () => {
  const { check: _check, ...descriptor } = startOptimization
  const body = { kind: 'multipart', contentType: 'multipart/form-data', required: true } as const
  const input = { body: { name: 'Invoices', training_documents: [new Blob(['1']), new Blob(['2'])] } }
  const request = await sent((extraction) => extraction.send({ ...descriptor, body }, input as never))
  expect(request.headers.get('content-type')).toMatch(/^multipart\/form-data; boundary=/)
  const form = await request.formData()
  expect(form.get('name')).toBe('Invoices')
  expect(form.getAll('training_documents')).toHaveLength(2)
})

it.each([
  [{ agentName: 'Invoice reader' }, { agent_name: 'Invoice reader' }],
  [{}, {}],
])(
  'device authorization on the wire is JSON with only the documented fields, and without a key: %j',
  async (options, expected) => {
    const page = 'https://app.example/device'
    const issued = {
      device_code: 'a-device-code',
      user_code: 'BCDF-GHJK',
      verification_uri: page,
      verification_uri_complete: page,
      expires_in: 900,
      interval: 5,
    }
    const granted = { error: null, api_key: 'new-key', key_prefix: 'new' }
    const { extraction, requests } = responding(({ url }) =>
      Response.json(url.endsWith('/token') ? granted : issued),
    )
    await extraction.authorizeDevice({ ...options, onPrompt: () => {}, save: () => {} })
    const common = { type: 'application/json', key: null }
    const seen = requests.map(async (request) => ({
      path: new URL(request.url).pathname,
      type: request.headers.get('content-type'),
      key: request.headers.get('x-api-key'),
      body: await request.json(),
    }))
    expect(await Promise.all(seen)).toEqual([
      { path: '/v1/agent/device/code', ...common, body: expected },
      { path: '/v1/agent/device/token', ...common, body: { device_code: 'a-device-code' } },
    ])
  },
)
