import { checkOptionNames, numberOption, signalOption, type OptionNames } from '../core/option-checks.ts'
import type { SocketRequestOptions } from './connection.ts'

/** The options of a request, checked. */
export interface RequestSettings {
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number
}

const NAMES: OptionNames<SocketRequestOptions> = { signal: true, timeoutMs: true }

/** @throws OptionsError */
export function requestSettings(options: SocketRequestOptions): RequestSettings {
  checkOptionNames(options, NAMES, 'options')
  return {
    signal: signalOption(options.signal),
    timeoutMs: numberOption(options.timeoutMs, 'timeoutMs', 30_000, { min: 1 }),
  }
}
