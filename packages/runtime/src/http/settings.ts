import {
  checkOptionNames,
  choiceOption,
  functionOption,
  numberOption,
  type OptionNames,
  parseDuration,
  signalOption,
} from '../core/option-checks.ts'
import { CALL_OPTIONS, type CallOptions, type Extra, type ValidationMode } from './call-options.ts'
import type { ClientCore } from './core.ts'

/** What holds for one call: its own options over those of the client. */
export interface CallSettings {
  readonly timeoutMs: number
  readonly deadlineMs: number | undefined
  readonly maxAttempts: number
  readonly mode: ValidationMode
}

const EXTRA_NAMES: OptionNames<Extra> = { query: true, headers: true, body: true, parts: true }

/** Reads the options of a call. @throws OptionsError when one is unknown or cannot be used. */
export function settingsOf(core: ClientCore, options: CallOptions | undefined): CallSettings {
  const { timeoutMs, deadlineMs, maxAttempts, validate } = core
  if (options === undefined) return { timeoutMs, deadlineMs, maxAttempts, mode: validate }
  checkOptionNames(options, CALL_OPTIONS, 'options')
  if (options.extra !== undefined) checkOptionNames(options.extra, EXTRA_NAMES, 'extra')
  signalOption(options.signal)
  functionOption(options.onUploadProgress, 'onUploadProgress')
  return {
    timeoutMs: numberOption(options.timeoutMs, 'timeoutMs', timeoutMs, { min: 1 }),
    deadlineMs: options.deadline === undefined ? deadlineMs : parseDuration(options.deadline),
    maxAttempts: numberOption(options.maxAttempts, 'maxAttempts', maxAttempts, { min: 1, whole: true }),
    mode: choiceOption(options.validate, 'validate', ['report', 'enforce', 'off'], validate),
  }
}
