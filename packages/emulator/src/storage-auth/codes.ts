import type { Clock } from '../core/clock.ts'
import type { RandomSource } from '../core/random.ts'
import type { TransitionCheck } from '../core/transitions.ts'
import type { StorageAuthChoices } from './choices.ts'
import { EXCHANGE_CODE_MS } from './limits.ts'
import type { ExchangeCode, StorageAccount } from './model.ts'

/** Why an exchange code is refused. */
export type CodeRefusal = 'unknown' | 'expired' | 'used'

/** The exchange codes that the sign-in page gave out. */
export interface Codes {
  issue(account: StorageAccount): string
  /** Whose code this is, whatever its state. */
  ownerOf(code: string): StorageAccount | undefined
  /** Uses a code. One that is refused stays as it is. */
  use(code: string): StorageAccount | CodeRefusal
  all(): ExchangeCode[]
  clear(): void
}

/** Makes an empty set of codes. */
export function createCodes(parts: {
  clock: Clock
  random: RandomSource
  choices: StorageAuthChoices
  checkMove: TransitionCheck
}): Codes {
  const { clock, random, choices, checkMove } = parts
  const codes = new Map<string, ExchangeCode>()
  return {
    issue(account) {
      const text = choices.newIdentifier('exchange-code', random)
      codes.set(text, { text, account, state: 'issued', expiresAt: clock.now() + EXCHANGE_CODE_MS })
      return text
    },
    ownerOf: (text) => codes.get(text)?.account,
    use(text) {
      const code = codes.get(text)
      if (!code) return 'unknown'
      if (code.state === 'used') return 'used'
      if (clock.now() > code.expiresAt) return 'expired'
      checkMove(code.state, 'used')
      code.state = 'used'
      return code.account
    },
    all: () => [...codes.values()],
    clear: () => codes.clear(),
  }
}
