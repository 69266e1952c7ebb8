import { expect, it } from 'vitest'

import { docText } from './docs.ts'

it('descriptions lose the tags of HTML, but neither code nor names in angle brackets', () => {
  const html =
    '<h3>Sizes</h3><p>Of <b>all</b> boats:</p><ul><li>small</li><li><a href="#x">large</a></li></ul>As in `<b>` or <code>size</code> of <boat>.'
  expect(docText({ description: html })).toBe(
    'Sizes\n\nOf all boats:\n\n- small\n- large\nAs in `<b>` or `size` of <boat>.',
  )
})
