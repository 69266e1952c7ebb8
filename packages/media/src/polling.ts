import { checkOptionNames, type PollingOptions } from '@concord/runtime'

const NAMES = [
  'firstDelayMs',
  'minDelayMs',
  'maxDelayMs',
  'limit',
  'statuses',
] as const satisfies readonly (keyof PollingOptions)[]

/** Refuses what is not known, so that a misspelt delay is not ignored. Their values are checked where they are used. */
export function checkPolling(polling: PollingOptions | undefined, option: string): void {
  if (polling !== undefined) checkOptionNames(polling, NAMES, option)
}
