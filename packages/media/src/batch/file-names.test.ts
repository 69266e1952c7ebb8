import { expect, it } from 'vitest'

import { FileNames } from './file-names.ts'

it('a name belongs to the first request that used it, even in an earlier process; extensions are ignored', () => {
  const file = (path: string) => ({ path, sizeBytes: 1 })
  const names = new FileNames([
    { files: [file('/out.d/boat.1.mp4')] },
    { files: [file('C:\\out\\ship.mp4'), file('plain')] },
  ])
  expect(names.claim(2, 'new')).toBe('new')
  for (const [owner, name] of [
    [0, 'boat.1'],
    [1, 'ship'],
    [1, 'plain'],
    [2, 'new'],
  ] as const) {
    expect(() => names.claim(3, name)).toThrow(expect.objectContaining({ option: 'store.nameOf' }) as Error)
    expect(names.claim(owner, name)).toBe(name)
  }
})
