import { describe, expect, it } from 'vitest'

import { selectFolders } from './folders.ts'
import { type Equivalent, keyOf, type Mutant, score } from './score.ts'

const mutant = (status: Mutant['status'], more: Partial<Mutant> = {}): Mutant => ({
  file: 'packages/a/src/b.ts',
  line: 3,
  mutator: 'EqualityOperator',
  source: 'if (a < b) return',
  original: 'a < b',
  replacement: 'a <= b',
  status,
  ...more,
})
const equivalent: Equivalent = {
  file: 'packages/a/src/b.ts',
  source: 'if (a < b) return',
  replacement: 'a <= b',
  reason: 'a and b are never equal here',
}

it('distinguishes mutants of a line that have the same replacement', () => {
  const [whole, part] = ['a < b && c', 'a < b'].map((original) => mutant('Killed', { original, line: 3 }))
  expect(keyOf(whole!)).not.toBe(keyOf(part!))
  expect(keyOf({ ...part!, line: 5 } as Mutant)).toBe(keyOf(part!))
})

describe('the score of a folder', () => {
  it('counts mutants that no test reaches as survivors', () => {
    const { killed, survivors, percent } = score(
      [mutant('Killed'), mutant('Killed'), mutant('NoCoverage'), mutant('Survived', { line: 9 })],
      [],
    )
    expect({ killed, lines: survivors.map(({ line }) => line), percent }).toEqual({
      killed: 2,
      lines: [3, 9],
      percent: 50,
    })
  })

  it('leaves out survivors that are listed as equivalent, even if their line moved', () => {
    const result = score([mutant('Killed'), mutant('Survived', { line: 80 })], [equivalent])
    expect(result).toMatchObject({ equivalent: 1, survivors: [], percent: 100, unused: [] })
  })

  it('reports list entries that match no survivor of their file', () => {
    expect(score([mutant('Killed')], [equivalent]).unused).toEqual([equivalent])
    expect(score([mutant('Killed', { file: 'packages/a/src/c.ts' })], [equivalent]).unused).toEqual([])
  })
})

describe('the folders to mutate', () => {
  it('mutates the shared parts of the runtime and the clients by default', () => {
    expect(selectFolders([]).map(({ name }) => name)).toContain('runtime/retry')
    expect(selectFolders(['media'])[0]?.packageFolder).toBe('packages/media')
  })

  it('selects one file of a folder', () => {
    expect(selectFolders(['runtime/retry:src/retry/retry.ts'])[0]?.files[0]).toBe('src/retry/retry.ts')
  })

  it('fails if no file matches, since an empty result would count as reaching the goal', () => {
    expect(() => selectFolders(['media:src/client.ts,src/inputs.ts'])).toThrow(
      /No source file of packages\/media matches `src\/client.ts,src\/inputs.ts`/,
    )
  })

  it('lists the valid folders if one is unknown', () => {
    expect(() => selectFolders(['sockets'])).toThrow(
      /Unknown folder `sockets`. Valid folders: .*runtime\/socket/,
    )
  })
})
