import { describe, expect, it } from 'vitest'

import { highest } from '../src/verdict.ts'
import { plantedChanges } from './planted/index.ts'
import { changesAfter, compareTexts, edited } from './support.ts'

describe('planted changes', () => {
  for (const { title, edit, verdicts, says } of plantedChanges) {
    it(`rates a change of a contract: ${title}`, () => {
      const changes = changesAfter(edit)

      const wire = highest(changes.map((change) => change.wire))
      const typescript = highest(changes.map((change) => change.typescript))
      expect({
        says: changes.map(({ message }) => message).sort(),
        verdicts: `${wire} ${typescript}`,
      }).toEqual({
        says,
        verdicts,
      })
    })
  }
})

describe('equivalent contracts', () => {
  it('finds no change if only comments, layout or the order of keys differ', () => {
    const base = edited([])
    const next = Object.fromEntries(
      Object.entries(base).map(([file, text]) => [file, `# A comment.\n${text}\n`]),
    )

    expect(compareTexts(base, next)).toEqual([])
  })
})
