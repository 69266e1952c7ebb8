import { expect, it } from 'vitest'

import { contractFormats } from '../../packages/spec-model/src/index.ts'
import { readDocument } from './document.ts'
import { services } from './services.ts'
import { schemasOf } from './walk.ts'

const pattern = new RegExp(contractFormats['iso-8601']?.pattern ?? '$^', 'u')

it.each([
  '2026-03-02T09:14:05Z',
  '2026-03-02T09:14:05.123456',
  '2027-12-31T23:59:59',
  '2026-03-02T09:14:05,5+02:00',
  '2026-03-02T09:14',
  '2026-03-02T09',
  '2026-03-02 09:14:05+0200',
  '2026-03-02t09:14:05z',
  '20260302T091405Z',
  '20260302T0914-05',
  '2026-03-02',
  '2026-W10-1T09:14',
  '2026W101',
  '2026-061',
  '2024-366',
  '2024-02-29',
  '2000-02-29',
  '2026-03-02T24:00:00',
  '2016-12-31T23:59:60Z',
  '+010000-01-01T00:00:00Z',
])('iso-8601 accepts %s', (text) => {
  expect(text).toMatch(pattern)
})

it.each([
  'tomorrow',
  '',
  '2026',
  '2026-03',
  '09:14:05',
  '1772442845',
  'Mon, 02 Mar 2026 09:14:05 GMT',
  '2026-3-2',
  '2026-0302',
  '2026-03-02T',
  '2026-03-02Z',
  '2026-03-02T09:1405',
  '2026-03-02T09:14:05.',
  '2026-03-02T09:14:05+2',
  '2026-03-02T24:00:01',
  '2026-03-02T25:00',
  '2026-13-01',
  '2026-02-29',
  '1900-02-29',
  '2026-04-31',
  '2026-366',
  '2026-W54-1',
  '2026-03-02T09:14:05Z ',
])('iso-8601 rejects %j', (text) => {
  expect(text).not.toMatch(pattern)
})

it('no contract narrows a documented ISO 8601 value to another format', () => {
  const narrowed = services.flatMap((service) =>
    schemasOf(readDocument(`${service}/openapi.yaml`))
      .filter(({ value }) => /date/.test(String(value['format'])))
      .map(({ pointer }) => `${service}: ${pointer}`),
  )
  expect(narrowed).toEqual([])
})
