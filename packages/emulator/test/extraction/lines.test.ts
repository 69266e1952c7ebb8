import { expect, it } from 'vitest'

import { boxesToText } from '../../src/extraction/document/lines.ts'

const box = (text: string, x: number, y: number, width = text.length * 5, height = 10) => ({
  text,
  x,
  y,
  width,
  height,
})

it('boxes become lines from top to bottom and left to right, regardless of their order', () => {
  expect(boxesToText([box('c', 0, 40), box('b', 7, 20), box('a', 0, 20)])).toBe('a b\nc')
})

it('a line may be slightly uneven', () => {
  expect(boxesToText([box('a', 0, 20), box('b', 8, 24), box('c', 0, 33)])).toBe('a b\nc')
})

it('pieces of a word are joined, and columns are separated', () => {
  expect(boxesToText([box('In', 0, 0), box('voice', 10, 0), box('42', 100, 0)])).toBe('Invoice   42')
})

it('a wide space between lines becomes an empty line', () => {
  expect(boxesToText([box('a', 0, 0), box('b', 0, 12), box('c', 0, 60)])).toBe('a\nb\n\nc')
})

it('an empty list of boxes has an empty text', () => {
  expect(boxesToText([])).toBe('')
})
