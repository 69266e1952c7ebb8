import fc from 'fast-check'
import { expect, it } from 'vitest'

import { loadSpecification, type Operation } from '../../src/core/specification.ts'
import { createEmulator, frozenClock, type Emulator, type ServiceName } from '../../src/index.ts'
import { SERVICES } from '../../src/services.ts'
import { UNLIMITED } from '../support/extraction.ts'
import { withoutStrayErrors } from '../support/stray-errors.ts'

const encode = (text: string) => new TextEncoder().encode(text)

/** Values of fields with which requests get further than with any JSON. */
const KNOWN_FIELDS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  model: fc.constantFrom('gen4_turbo', 'gen4.5', 'act_two', 'gen4_image', '__proto__'),
  promptImage: fc.oneof(fc.webUrl(), fc.string(), fc.constantFrom('data:,', 'https://', 'https://%')),
  startDate: fc.string(),
  email: fc.constantFrom('kim@mail.example', ''),
}

/** Any request for an operation: valid, unusual, or nonsense. */
const anyRequest = (operation: Operation) => {
  const fields = operation.bodyFields.map((name) => [name, KNOWN_FIELDS[name] ?? fc.jsonValue()])
  return fc.record({
    operation: fc.constant(operation),
    segment: fc.oneof(fc.uuid(), fc.string({ minLength: 1, maxLength: 12 }), fc.constant('jobs')),
    query: fc.oneof(fc.constant(''), fc.string({ maxLength: 12 })),
    contentType: fc.oneof(
      fc.constantFrom('application/json', 'application/json; charset=utf-16', 'text/plain', ''),
      fc.constantFrom('multipart/form-data', 'application/x-www-form-urlencoded'),
      fc.constantFrom('b', '"b c"').map((boundary) => `multipart/form-data; boundary=${boundary}`),
      fc.stringMatching(/^[!-~]{0,20}$/),
    ),
    body: fc.oneof(
      fc.uint8Array({ maxLength: 400 }).map((array) => new Uint8Array(array)),
      fc.json({ maxDepth: 4 }).map(encode),
      fc
        .record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>, { requiredKeys: [] })
        .map((value) => encode(JSON.stringify(value))),
    ),
  })
}

/** Returns the headers with which a request to any of the services has valid credentials. */
async function headersFor(name: ServiceName, { extraction, media, storageAuth, speech }: Emulator) {
  const { accessToken } = await storageAuth.control.issueTokens(storageAuth.email)
  const bearer = name === 'media' ? media.apiSecret : accessToken
  return {
    'x-api-key': extraction.apiKey,
    'x-service-version': '2024-11-06',
    authorization: name === 'speech' ? `Token ${speech.apiKey}` : `Bearer ${bearer}`,
  }
}

it.each(
  (['extraction', 'media', 'storageAuth', 'speech'] as const).flatMap((name) => [
    { name, way: 'in process', numRuns: 400 },
    { name, way: 'over HTTP', numRuns: 150 },
  ]),
)('any request to $name gets a response that the contract accepts, $way', async ({ name, way, numRuns }) => {
  await using emulator = await createEmulator({
    clock: frozenClock(),
    seed: 'tests',
    extraction: { plan: UNLIMITED },
    media: { tier: 5, credits: 1_000_000 },
    storageAuth: { tokenRequestsPerMinute: Infinity },
  })
  await using served = await emulator.serve({ services: [name] })
  const isInProcess = way === 'in process'
  const send = isInProcess ? emulator[name].fetch : fetch
  const baseUrls = (isInProcess ? emulator : served)[name] as unknown as Record<string, string>
  const credentials = await headersFor(name, emulator)
  const statuses = [200, 201, 204, 400, 404, 405, ...(name === 'storageAuth' ? [401] : [])]
  const { operations } = loadSpecification(`${SERVICES[name].cliName}/openapi.yaml`)
  await withoutStrayErrors(() =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...operations).chain(anyRequest),
        async ({ operation, segment, query, contentType, body }) => {
          const path = operation.path.replaceAll(/\{\w+\}/g, encodeURIComponent(segment))
          const url = `${baseUrls[operation.baseUrlName]}${path}?${encodeURIComponent(query)}`
          const response = await send(url, {
            method: operation.method,
            headers: { ...credentials, ...(contentType === '' ? {} : { 'content-type': contentType }) },
            ...(['POST', 'PATCH'].includes(operation.method) ? { body } : {}),
          })
          expect(statuses).toContain(response.status)
          const isJson = response.headers.get('content-type') === 'application/json'
          await (isJson ? response.json() : response.arrayBuffer())
          await emulator[name].control.clock.advance(1_000)
        },
      ),
      { numRuns, seed: 1 },
    ),
  )
})
