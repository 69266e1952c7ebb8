import { expect, it } from 'vitest'

import { boxesToText } from '../../src/extraction/document/lines.ts'

const box = (text: string, x: number, y: number, width = text.length * 5, height = 10) => ({
  text,
  x,
  y,
  width,
  height,
})

it.each([
  ['from top to bottom and left to right', [box('c', 0, 40), box('b', 7, 20), box('a', 0, 20)], 'a b\nc'],
  ['from a slightly uneven line', [box('a', 0, 20), box('b', 8, 24), box('c', 0, 33)], 'a b\nc'],
  [
    'with pieces of words and columns',
    [box('In', 0, 0), box('voice', 10, 0), box('42', 100, 0)],
    'Invoice   42',
  ],
  ['with an empty line for a wide space', [box('a', 0, 0), box('b', 0, 12), box('c', 0, 60)], 'a\nb\n\nc'],
  ['from nothing', [], ''],
])('boxesToText joins boxes %s', (_, boxes, text) => {
  expect(boxesToText(boxes)).toBe(text)
})
