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
  ['the id of a blueprint', { blueprint_id: id }, {}, { blueprint_id: id }],
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

it('an optimization on the wire can be sent in another form, since its content type is not documented: a descriptor is plain data', async () => {
  const { check: _check, ...descriptor } = startOptimization
  const body = { kind: 'multipart', contentType: 'multipart/form-data', required: true } as const
  const input = { body: { name: 'Invoices', training_documents: [new Blob(['1']), new Blob(['2'])] } }
  const started = { job_id: 'run', blueprint_id: id, status: 'pending' }
  const { extraction, requests } = responding(() => Response.json(started))
  await extraction.send({ ...descriptor, body }, input as never)
  expect(requests[0]?.headers.get('content-type')).toMatch(/^multipart\/form-data; boundary=/)
  const form = await requests[0]!.formData()
  expect(form.get('name')).toBe('Invoices')
  expect(form.getAll('training_documents')).toHaveLength(2)
})
