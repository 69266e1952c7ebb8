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
    reason: 'The document does not contain it.',
  })
})

it('a value may follow its label after a single space if it has the requested type', () => {
  expect(valueOf({ type: 'number' }, 'Total 1,284.50')).toMatchObject({ value: 1284.5, hil_flag: false })
  expect(valueOf({ format: 'date' }, 'Due date 14 March 2026', 'due_date')).toMatchObject({
    value: '2026-03-14',
  })
  expect(valueOf({ type: 'string' }, 'Total due', 'total')).toMatchObject({ value: null })
})

it('a value beside its label may be on any page, which is reported', () => {
  expect(find({ total: { type: 'number' } }, 'One', 'Total: 5')['total']).toMatchObject({
    found_on_page: 2,
  })
  expect(find({ total: {} }, 'Total:', '5')['total']).toMatchObject({ value: null })
})

it('a value that occurs twice is only flagged if the values differ', () => {
  expect(find({ total: { type: 'number' } }, 'Total: 5', 'Total: 5.00')['total']).toMatchObject({
    hil_flag: false,
  })
  expect(find({ total: { type: 'number' } }, 'Total: 5', 'Total: 6')['total']).toEqual({
    value: 5,
    hil_flag: true,
    reason: 'The document contains 2 different values: 5, 6.',
    found_on_page: 1,
  })
})

it('a value beside its label is taken from the only place where it can be read', () => {
  expect(find({ total: { type: 'number' } }, 'Total: see below', 'Total: 6')['total']).toEqual({
    value: 6,
    hil_flag: false,
    found_on_page: 2,
  })
})

it("a value beside its label is flagged with the reason if it can't be read as its type", () => {
  expect(valueOf({ type: 'number' }, 'Total: some')).toEqual({
    value: null,
    hil_flag: true,
    reason: '"some" is not a number.',
    found_on_page: 1,
  })
})

const supplier: JsonObject = {
  type: 'object',
  properties: { name: {}, vat_number: { title: 'VAT number' } },
}

it('a nested object is found by the labels of its parts, with or without its own', () => {
  const value = { name: 'North Harbour Paper', vat_number: 'X1' }
  const text = 'Supplier name: North Harbour Paper\nSupplier VAT number: X1'
  expect(valueOf(supplier, text, 'supplier')).toEqual({ value, hil_flag: false, found_on_page: 1 })
  expect(valueOf(supplier, text.replaceAll('Supplier ', ''), 'supplier')).toMatchObject({
    value,
    hil_flag: false,
  })
})

it('a nested object is flagged if a part is missing, and missing if all are', () => {
  expect(valueOf(supplier, 'Supplier name: North', 'supplier')).toEqual({
    value: { name: 'North' },
    hil_flag: true,
    reason: 'vat_number: not found',
    found_on_page: 1,
  })
  expect(valueOf(supplier, 'Nothing', 'supplier')).toMatchObject({ value: null })
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

const items: JsonObject = {
  type: 'array',
  items: {
    type: 'object',
    properties: { description: {}, quantity: { type: 'integer' }, unit_price: { type: 'number' } },
  },
}

it('an array of objects is a table whose header names the properties', () => {
  const text =
    'Description   Quantity   Unit price   Amount\nPaper   24   18.40   441.60\nBoxes   15   9.35   140.25\nTotal   1'
  expect(valueOf(items, text, 'items')).toEqual({
    value: [
      { description: 'Paper', quantity: 24, unit_price: 18.4 },
      { description: 'Boxes', quantity: 15, unit_price: 9.35 },
    ],
    hil_flag: false,
    found_on_page: 1,
  })
})

it("an array continues if the table's header is repeated", () => {
  const first = 'Unit price   Quantity   Description\n1   2   a'
  const second = 'Unit price   Quantity   Description\n3   4   b\n\nEnd'
  expect(find({ items }, 'Cover', first, second)['items']).toMatchObject({
    value: [
      { unit_price: 1, quantity: 2, description: 'a' },
      { unit_price: 3, quantity: 4, description: 'b' },
    ],
    found_on_page: 2,
  })
})

it("an array is flagged if a cell of the table can't be read", () => {
  const text = 'Description   Quantity\nPaper   24\nBoxes   some'
  expect(valueOf(items, text, 'items')).toEqual({
    value: [
      { description: 'Paper', quantity: 24 },
      { description: 'Boxes', quantity: null },
    ],
    hil_flag: true,
    reason: 'row 2, quantity: "some" is not a number.',
    found_on_page: 1,
  })
})

it('an array is missing if the table has no header', () => {
  expect(valueOf(items, 'Description: Paper   Colour: red', 'items')).toMatchObject({ value: null })
  expect(valueOf(items, 'Quantity\n5', 'items')).toMatchObject({ value: null })
})

it('an array of values is a list next to its label', () => {
  const tags: JsonObject = { type: 'array', items: { type: 'integer' } }
  expect(valueOf(tags, 'Numbers: 1, 2; 3', 'numbers')).toEqual({
    value: [1, 2, 3],
    hil_flag: false,
    found_on_page: 1,
  })
  expect(valueOf(tags, 'Numbers: 1, x', 'numbers')).toMatchObject({ value: [1, null], hil_flag: true })
  expect(valueOf(tags, 'None', 'numbers')).toMatchObject({ value: null })
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
