import * as fc from 'fast-check'
import { expect, it } from 'vitest'

import { sentences } from '../src/sentences.ts'
import { all } from './support.ts'

const joined = (pieces: readonly string[], locale?: string) => all(sentences(pieces, locale))

it('sentences() yields whole sentences, however the text is split', async () => {
  const text = 'The ferry leaves at nine. Is that too late? No!'
  const whole = ['The ferry leaves at nine.', 'Is that too late?', 'No!']
  expect(await joined([...text])).toEqual(whole)
  expect(await joined([text])).toEqual(whole)
  expect(await joined(text.split(/(?= )/))).toEqual(whole)
})

it('sentences() yields a sentence as soon as the next one starts', async () => {
  async function* tokens() {
    yield 'One. '
    yield 'T'
    expect(yielded).toEqual(['One.'])
    yield 'wo.'
  }
  const yielded: string[] = []
  for await (const sentence of sentences(tokens())) yielded.push(sentence)
  expect(yielded).toEqual(['One.', 'Two.'])
})

it('sentences() splits text without an end at white space', async () => {
  const cut = await joined(Array<string>(600).fill('words '))
  expect(cut.length).toBeGreaterThan(1)
  expect(cut.every((part) => part.length <= 1000 && /^(?:words )*words$/.test(part))).toBe(true)
  const long = (length: number): string => 'a'.repeat(length)
  expect(await joined([long(1000), ' b'])).toEqual([long(1000), 'b'])
  expect(await joined([`${long(500)} ${long(499)}`])).toEqual([`${long(500)} ${long(499)}`])
  expect(await joined([long(1001)])).toEqual([long(1000), 'a'])
  expect(await joined([` ${long(1001)}`])).toEqual([long(999), 'aa'])
})

it('sentences() trims white space, and yields no empty sentence', async () => {
  expect(await joined(['  One. \n', '\n\n \n', ' Two ', '  '])).toEqual(['One.', 'Two'])
  expect(await joined(['One.\n', '  '])).toEqual(['One.'])
  expect(await joined(['  '])).toEqual([])
})

it('sentences() loses no characters', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: 'grapheme' })), async (pieces) => {
      const bare = (text: string): string => text.replaceAll(/\s/gu, '')
      expect(bare((await joined(pieces)).join(''))).toBe(bare(pieces.join('')))
    }),
  )
})

it('sentences() rejects an invalid language tag', async () => {
  await expect(joined(['a'], '!')).rejects.toMatchObject({
    code: 'invalid-options',
    option: 'locale',
    cause: expect.anything() as unknown,
  })
})
