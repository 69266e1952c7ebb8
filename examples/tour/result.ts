/** The results of one part of the tour, for the summary. */
export interface TourResult {
  readonly service: string
  readonly done: readonly string[]
}
