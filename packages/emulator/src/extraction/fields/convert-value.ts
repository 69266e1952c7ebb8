import { isObject, type JsonObject } from '../../core/specification.ts'

type Converted = { value: unknown } | { problem: string }

/** Returns the type that a property's schema declares or implies; by default, `string`. */
export function typeOf(schema: JsonObject): string {
  const { type } = schema
  if (typeof type === 'string') return type
  if (Array.isArray(type)) return String(type.find((name) => name !== 'null') ?? 'string')
  if (isObject(schema['properties'])) return 'object'
  if (isObject(schema['items'])) return 'array'
  return 'string'
}

export function convertText(text: string, schema: JsonObject): Converted {
  const raw = text.trim()
  const converted = convertAs(typeOf(schema), raw, schema)
  if ('problem' in converted) return converted
  const allowed = Array.isArray(schema['enum']) ? schema['enum'] : undefined
  if (!allowed || allowed.some((value) => value === converted.value)) return converted
  const similar = allowed.find((value) => String(value).toLowerCase() === raw.toLowerCase())
  return similar === undefined ? { problem: `"${raw}" is not one of the allowed values` } : { value: similar }
}

function convertAs(type: string, raw: string, schema: JsonObject): Converted {
  if (type === 'number' || type === 'integer') {
    const value = readNumber(raw)
    if (value === undefined) return { problem: `"${raw}" is not a number` }
    if (type === 'integer' && !Number.isInteger(value)) return { problem: `"${raw}" is not a whole number` }
    return { value }
  }
  if (type === 'boolean') {
    if (/^(yes|true|y)$/i.test(raw)) return { value: true }
    if (/^(no|false|n)$/i.test(raw)) return { value: false }
    return { problem: `"${raw}" is neither yes nor no` }
  }
  if (type === 'null') return { problem: `"${raw}" is not null, the only value that the schema allows` }
  if (schema['format'] === 'date') return readDate(raw)
  return { value: raw }
}

/** Parses a number as people write it: with a currency, thousands separators, and a decimal point or comma. */
export function readNumber(raw: string): number | undefined {
  const currency = '(?:[A-Z]{3}|[$€£¥])'
  const pattern = new RegExp(
    `^${currency}?\\s*(\\(?)\\s*([-+−]?)\\s*${currency}?\\s*(\\d[\\d.,' \\u00a0]*)\\)?\\s*(?:${currency}|%)?$`,
  )
  const match = pattern.exec(raw.trim())
  if (!match) return undefined
  const [, bracket, sign, digits = ''] = match
  const value = readDigits(digits.replaceAll(/['\s\u00a0]/g, ''))
  if (value === undefined) return undefined
  return bracket || sign === '-' || sign === '−' ? -value : value
}

function readDigits(digits: string): number | undefined {
  const comma = digits.lastIndexOf(',')
  const point = digits.lastIndexOf('.')
  if (/^\d+$/.test(digits)) return Number(digits)
  if (/^\d{1,3}(,\d{3})+(\.\d+)?$/.test(digits)) return Number(digits.replaceAll(',', ''))
  if (/^\d{1,3}(\.\d{3})+,\d+$/.test(digits)) return Number(digits.replaceAll('.', '').replace(',', '.'))
  if (/^\d{1,3}(\.\d{3}){2,}$/.test(digits)) return Number(digits.replaceAll('.', ''))
  if (point < 0 && /^\d+,\d+$/.test(digits)) return Number(digits.replace(',', '.'))
  if (comma < 0 && /^\d+\.\d+$/.test(digits)) return Number(digits)
  return undefined
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** Parses a date and returns it in JSON Schema's `date` format. */
function readDate(raw: string): Converted {
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(raw)
  if (iso) return toDate(Number(iso[1]), Number(iso[2]), Number(iso[3]), raw)
  const dayFirst = /^(\d{1,2})\.?\s+([a-z]+)\.?,?\s+(\d{4})$/i.exec(raw)
  if (dayFirst) return toDate(Number(dayFirst[3]), monthNumber(dayFirst[2]), Number(dayFirst[1]), raw)
  const monthFirst = /^([a-z]+)\.?\s+(\d{1,2}),?\s+(\d{4})$/i.exec(raw)
  if (monthFirst) return toDate(Number(monthFirst[3]), monthNumber(monthFirst[1]), Number(monthFirst[2]), raw)
  const numbers = /^(\d{1,2})([./])(\d{1,2})\2(\d{4})$/.exec(raw)
  if (!numbers) return { problem: `"${raw}" is not a date` }
  const [, first = '', , second = '', year = ''] = numbers
  if (Number(first) > 12) return toDate(Number(year), Number(second), Number(first), raw)
  if (Number(second) > 12) return toDate(Number(year), Number(first), Number(second), raw)
  if (first === second) return toDate(Number(year), Number(first), Number(second), raw)
  return { problem: `"${raw}" can be read as two different dates` }
}

function monthNumber(name = ''): number {
  return MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1
}

function toDate(year: number, month: number, day: number, raw: string): Converted {
  const date = new Date(Date.UTC(year, month - 1, day))
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day)
    return { problem: `"${raw}" is not a date` }
  return { value: date.toISOString().slice(0, 10) }
}
