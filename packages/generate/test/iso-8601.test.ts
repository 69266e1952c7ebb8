import formats from 'ajv-formats/dist/formats.js'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'

import { ownFormats } from '../src/normalize/keywords.ts'
import { isoTimestamps } from './support/values.ts'

const pattern = new RegExp(ownFormats.get('iso-8601')?.pattern ?? '$^', 'u')
const dates = fc.date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })

it('iso-8601 accepts exactly the time stamps whose fields exist, in every form', () => {
  fc.assert(
    fc.property(isoTimestamps, ({ text, valid }) => {
      expect({ text, valid: pattern.test(text) }).toEqual({ text, valid })
    }),
    { seed: 8, numRuns: 5000 },
  )
  const verdicts = fc.sample(isoTimestamps, { seed: 8, numRuns: 5000 }).map(({ valid }) => valid)
  expect(verdicts.filter(Boolean).length).toBeGreaterThan(100)
})

it('iso-8601 accepts everything that RFC 3339 does', () => {
  const rfc3339 = (formats.fullFormats['date-time'] as { validate: (text: string) => boolean }).validate
  fc.assert(
    fc.property(
      dates,
      fc.constantFrom('T', 't', ' '),
      fc.constantFrom('', '.5', '.123456789'),
      fc.constantFrom('Z', 'z', '+00:00', '-05:30', '+14:00', '-0000'),
      (date, mark, fraction, zone) => {
        const text = `${date.toISOString().slice(0, 19).replace('T', mark)}${fraction}${zone}`
        expect(rfc3339(text)).toBe(true)
        expect(text).toMatch(pattern)
      },
    ),
    { seed: 8, numRuns: 2000 },
  )
})

it('iso-8601 accepts the week dates and ordinal dates of every day', () => {
  fc.assert(
    fc.property(dates, fc.boolean(), (date, extended) => {
      const dash = extended ? '-' : ''
      const year = date.getUTCFullYear()
      const dayOfYear = Math.floor((date.getTime() - Date.UTC(year, 0, 1)) / 86_400_000) + 1
      const week = Math.min(53, Math.max(1, Math.ceil(dayOfYear / 7)))
      const at = date.toISOString().slice(0, 4)
      if (year >= 100) expect(`${at}${dash}${String(dayOfYear).padStart(3, '0')}`).toMatch(pattern)
      expect(`${at}${dash}W${String(week).padStart(2, '0')}${dash}${date.getUTCDay() + 1}`).toMatch(pattern)
    }),
    { seed: 8, numRuns: 2000 },
  )
})
