import type { Clock } from '../core/clock.ts'

const WINDOW_MS = 60_000

/** Counts the characters of each key over a sliding minute. */
export interface CharacterRate {
  /** Whether so many more may be spoken; if so, they are counted. */
  take(key: string, characters: number): boolean
  clear(): void
}

/** Makes a rate of so many characters in a minute. */
export function createCharacterRate(clock: Clock, charactersPerMinute: number): CharacterRate {
  const uses = new Map<string, { at: number; characters: number }[]>()
  return {
    take(key, characters) {
      const now = clock.now()
      const recent = (uses.get(key) ?? []).filter(({ at }) => at > now - WINDOW_MS)
      uses.set(key, recent)
      const used = recent.reduce((sum, use) => sum + use.characters, 0)
      if (used + characters > charactersPerMinute) return false
      recent.push({ at: now, characters })
      return true
    },
    clear: () => uses.clear(),
  }
}
