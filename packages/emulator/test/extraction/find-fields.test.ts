import { expect, it } from 'vitest'

import type { JsonObject } from '../../src/core/specification.ts'
import type { ReadPage } from '../../src/extraction/model.ts'
import { findFields } from '../../src/extraction/fields/find-fields.ts'

const page = (text: string, number = 1): ReadPage => ({ number, text, width: 1, height: 1, boxes: [] })
const find = (properties: JsonObject, ...texts: string[]) =>
  findFields({ schema: { properties }, pages: texts.map((text, index) => page(text, index + 1)) }).fields
const valueOf = (schema: JsonObject, text: string, name = 'total') => find({ [name]: schema }, text)[name]

it.each([
  ['Invoice number: INV-1', 'after a colon'],
  ['INVOICE NUMBER : INV-1', 'in any case'],
  ['Invoice-Number = INV-1', 'after an equals sign'],
  ['Invoice number ..... INV-1', 'after leader dots'],
  ['Invoice number   INV-1', 'in the next column'],
  ['Invoice number | INV-1', 'in the next cell of a markdown table'],
  ['Date: 1 May 2026   Invoice number: INV-1', 'in a later column'],
  ['Invoice number:\nINV-1', 'on the next line'],
])('a value beside its label is found in %j: %s', (text) => {
  expect(valueOf({}, text, 'invoice_number')).toEqual({ value: 'INV-1', hil_flag: false, found_on_page: 1 })
  expect(valueOf({}, text, 'invoiceNumber')).toMatchObject({ value: 'INV-1' })
  expect(valueOf({ title: 'Invoice number' }, text, 'n')).toMatchObject({ value: 'INV-1' })
})

it.each([
  ['Subtotal: 5', 'another word'],
  ['The total: 5', 'words before it'],
  ['Totals: 5', 'a longer word'],
  ['Total', 'nothing beside it'],
  ['Total:', 'nothing after it'],
  ['Total of all things', 'words that are not a number'],
])('a value beside its label is not found in %j: %s', (text) => {
  expect(valueOf({ type: 'number' }, text)).toEqual({
    value: null,
    hil_flag: true,
    reason: 'No value was found in the document.',
  })
})

const number: JsonObject = { type: 'number' }
const supplier: JsonObject = {
  type: 'object',
  properties: { name: {}, vat_number: { title: 'VAT number' } },
}
const items: JsonObject = {
  type: 'array',
  items: {
    type: 'object',
    properties: { description: {}, quantity: { type: 'integer' }, unit_price: { type: 'number' } },
  },
}
const tags: JsonObject = { type: 'array', items: { type: 'integer' } }

const entry = (value: unknown, page = 1) => ({ value, hil_flag: false, found_on_page: page })
const flagged = (value: unknown, reason: string) => ({ value, hil_flag: true, reason, found_on_page: 1 })
const MISSING = { value: null, hil_flag: true, reason: 'No value was found in the document.' }
const PARTS = 'name: North Harbour Paper\nVAT number: X1'
const PAPER = { description: 'Paper', quantity: 24, unit_price: 18.4 }
const BOXES = { description: 'Boxes', quantity: 15, unit_price: 9.35 }

it.each<[title: string, properties: JsonObject, texts: string[], expected: object]>([
  ['a number after a single space', { total: number }, ['Total 1,284.50'], entry(1284.5)],
  ['a date after a single space', { due: { format: 'date' } }, ['Due 14 March 2026'], entry('2026-03-14')],
  ['no string after a single space', { total: { type: 'string' } }, ['Total due'], MISSING],
  ['a value on another page', { total: number }, ['One', 'Total: 5'], entry(5, 2)],
  ['no value at the start of the next page', { total: {} }, ['Total:', '5'], MISSING],
  ['a value that occurs twice', { total: number }, ['Total: 5', 'Total: 5.00'], entry(5)],
  [
    'the first of different values',
    { total: number },
    ['Total: 5', 'Total: 6'],
    flagged(5, 'The document contains 2 different values: 5, 6.'),
  ],
  ['the only readable value', { total: number }, ['Total: see below', 'Total: 6'], entry(6, 2)],
  ['no readable value', { total: number }, ['Total: some'], flagged(null, '"some" is not a number.')],
  [
    'an object by the labels of its parts',
    { supplier },
    [PARTS],
    entry({ name: 'North Harbour Paper', vat_number: 'X1' }),
  ],
  [
    'an object by its own label and those of its parts',
    { supplier },
    [PARTS.replaceAll(/^/gm, 'Supplier ')],
    entry({ name: 'North Harbour Paper', vat_number: 'X1' }),
  ],
  [
    'an object without one of its parts',
    { supplier },
    ['Supplier name: North'],
    flagged({ name: 'North' }, 'vat_number: not found'),
  ],
  ['no object without parts', { supplier }, ['Nothing'], MISSING],
  [
    'an array of objects in a table whose header names the properties',
    { items },
    [
      'Description   Quantity   Unit price   Amount\nPaper   24   18.40   441.60\nBoxes   15   9.35   140.25\nTotal   1',
    ],
    entry([PAPER, BOXES]),
  ],
  [
    'a table that continues after its header is repeated',
    { items },
    [
      'Cover',
      'Unit price   Quantity   Description\n18.40   24   Paper',
      'Unit price   Quantity   Description\n9.35   15   Boxes\n\nEnd',
    ],
    entry([PAPER, BOXES], 2),
  ],
  [
    'a table with a cell that is unreadable',
    { items },
    ['Description   Quantity\nPaper   24\nBoxes   some'],
    flagged(
      [
        { description: 'Paper', quantity: 24 },
        { description: 'Boxes', quantity: null },
      ],
      'row 2, quantity: "some" is not a number.',
    ),
  ],
  ['no table without a header', { items }, ['Description: Paper   Colour: red'], MISSING],
  ['no table with a header of one property', { items }, ['Quantity\n5'], MISSING],
  ['an array of values next to its label', { tags }, ['Tags: 1, 2; 3'], entry([1, 2, 3])],
  ['a list with an unreadable value', { tags }, ['Tags: 1, x'], flagged([1, null], '"x" is not a number.')],
  ['no list without its label', { tags }, ['None'], MISSING],
])('findFields finds %s', (_, properties, texts, expected) => {
  expect(Object.values(find(properties, ...texts))).toEqual([expected])
})

it('a nested object may contain itself', () => {
  const schema: JsonObject = { properties: { part: { $ref: '#' }, name: { type: 'string' } } }
  const { fields } = findFields({ schema, pages: [page('Name: x')] })
  expect(fields['name']).toMatchObject({ value: 'x' })
  const circle: JsonObject = {
    properties: { a: { $ref: '#/properties/b' }, b: { $ref: '#/properties/a' } },
  }
  expect(findFields({ schema: circle, pages: [page('a: 1')] }).fields['a']).toMatchObject({ value: '1' })
})

it('required fields are reported if they are not found', () => {
  const schema: JsonObject = { properties: { a: {}, b: {} }, required: ['a', 'b', 'c'] }
  expect(findFields({ schema, pages: [page('a: 1')] }).missing).toEqual(['b', 'c'])
})

it('required fields are not missing if they are present but unreadable', () => {
  const schema: JsonObject = { properties: { a: { type: 'number' } }, required: ['a'] }
  expect(findFields({ schema, pages: [page('a: x')] }).missing).toEqual([])
})

it('a schema with a title of dashes is searched quickly, even in a line of dashes', () => {
  const dashes = '-'.repeat(40)
  const title = Array.from({ length: 12 }, () => '-').join(' ')
  expect(find({ total: { title }, [dashes]: {} }, `${dashes}${dashes} x`)['total']).toMatchObject({
    value: null,
  })
})

it('a schema with 60 references to itself stops the search, which is reported', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => [`p${index}`, { $ref: '#' }]),
  )
  const fields = find(properties, 'Total: 5\n'.repeat(20))
  expect(fields['p59']).toMatchObject({ value: null, reason: expect.stringContaining('stopped searching') })
})

it('a document with a table header on every line is searched quickly', () => {
  const items = { type: 'object', properties: { name: {}, price: {} } }
  const text = 'Name | Price\n'.repeat(5_000) + 'Boat | 5'
  expect(find({ lines: { type: 'array', items } }, text)['lines']).toMatchObject({
    value: [{ name: 'Boat', price: '5' }],
  })
})
