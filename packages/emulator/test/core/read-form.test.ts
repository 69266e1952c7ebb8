import { afterEach, expect, it } from 'vitest'

import { readForm } from '../../src/core/read-form.ts'

const OwnFile = globalThis.File
afterEach(() => {
  globalThis.File = OwnFile
})

const form = (boundary: string): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${boundary}.png"\r\n\r\nhi\r\n--${boundary}--\r\n`,
  )

it('reads forms with files while a test environment replaces the global File', async () => {
  // Node loads its parser with the first form; the environment replaces the global later.
  await readForm(form('zero'), 'multipart/form-data; boundary=zero')
  class Replacement extends EventTarget {}
  globalThis.File = Replacement as unknown as typeof globalThis.File
  const names = ['one', 'two']
  const forms = await Promise.all(
    names.map((name) => readForm(form(name), `multipart/form-data; boundary=${name}`)),
  )
  expect(forms.map((each) => (each.get('file') as File).name)).toEqual(['one.png', 'two.png'])
  expect(globalThis.File).toBe(Replacement)
})

it('restores the global File after a form that cannot be read', async () => {
  class Replacement extends EventTarget {}
  globalThis.File = Replacement as unknown as typeof globalThis.File
  await expect(readForm(form('one'), 'multipart/form-data; boundary=other')).rejects.toThrow(TypeError)
  expect(globalThis.File).toBe(Replacement)
})
