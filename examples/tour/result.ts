/** What a part of the tour obtained, for the summary. */
export interface TourResult {
  readonly service: string
  readonly done: readonly string[]
}
