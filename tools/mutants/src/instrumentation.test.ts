import { expect, it } from 'vitest'

import { LOADING, MutantSwitch } from './instrumentation.ts'

it('activates no mutant and counts no hits while a module loads', () => {
  const { [LOADING]: load, __stryker__: state } = globalThis as never as Record<string, never>
  const before = [load, state]
  try {
    const mutantSwitch = new MutantSwitch()
    const globals = globalThis as never as {
      [LOADING]: (isStart: boolean) => void
      __stryker__: { activeMutant?: string; currentTestId?: string }
    }
    mutantSwitch.startCoverage('test')
    mutantSwitch.start('1', Infinity)
    const seen = () => [globals.__stryker__.activeMutant, globals.__stryker__.currentTestId]
    expect(seen()).toEqual(['1', 'test'])
    globals[LOADING](true)
    globals[LOADING](true)
    globals[LOADING](false)
    expect(seen()).toEqual([undefined, undefined])
    globals[LOADING](false)
    expect(seen()).toEqual(['1', 'test'])
  } finally {
    Object.assign(globalThis, { [LOADING]: before[0], __stryker__: before[1] })
  }
})
