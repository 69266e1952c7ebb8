import type { TransitionCheck } from '../core/transitions.ts'

/** Allows the documented moves, and further ones that were chosen because none are documented. */
export function withFurtherMoves(
  documented: TransitionCheck,
  further: readonly { from: string | null; to: string }[],
): TransitionCheck {
  return (from, to) => {
    if (!further.some((move) => String(move.from) === from && move.to === to)) documented(from, to)
  }
}
