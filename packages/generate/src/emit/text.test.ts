import { expect, it } from 'vitest'

import { comment } from './text.ts'

it('a comment is not ended by what it says', () => {
  expect(comment(['sent as `*/*`'])).toBe(`/** sent as \`${String.raw`*\/`}*\` */\n`)
})
