import { checkOptionNames, numberOption, signalOption } from '../core/option-checks.ts'
import type { SocketRequestOptions } from './connection.ts'

/** The options of a request, checked. */
export interface RequestSettings {
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number
}

/** @throws OptionsError */
export function requestSettings(options: SocketRequestOptions): RequestSettings {
  checkOptionNames(options, ['signal', 'timeoutMs'], 'options')
  return {
    signal: signalOption(options.signal),
    timeoutMs: numberOption(options.timeoutMs, 'timeoutMs', 30_000, { min: 1 }),
  }
}
