/** The middle of a set of measurements and how far they spread: half of them lie between the quartiles. */
export interface Spread {
  readonly lowerQuartile: number
  readonly median: number
  readonly upperQuartile: number
}

/**
 * The value below which this part of the measurements lies, between two of them where it falls there.
 *
 * @param part - From 0 (the smallest) to 1 (the largest).
 * @throws RangeError when there are no measurements.
 */
export function quantile(values: readonly number[], part: number): number {
  if (values.length === 0) throw new RangeError('there are no measurements to summarize')
  const sorted = values.toSorted((left, right) => left - right)
  const place = (sorted.length - 1) * part
  const below = sorted[Math.floor(place)] as number
  const above = sorted[Math.ceil(place)] as number
  return below + (above - below) * (place - Math.floor(place))
}

/** @throws RangeError when there are no measurements. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** @throws RangeError when there are no measurements. */
export function spread(values: readonly number[]): Spread {
  return {
    lowerQuartile: quantile(values, 0.25),
    median: median(values),
    upperQuartile: quantile(values, 0.75),
  }
}
