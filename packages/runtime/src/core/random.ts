/** A source of numbers in [0, 1), as `Math.random`. Injected wherever jitter is drawn. @public */
export type RandomSource = () => number
