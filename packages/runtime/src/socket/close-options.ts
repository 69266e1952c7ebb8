import { OptionsError } from '../core/errors.ts'
import { checkOptionNames, numberOption, type OptionNames } from '../core/option-checks.ts'
import type { CloseOptions } from './connection.ts'

const LONGEST_REASON_BYTES = 123
const NAMES: OptionNames<CloseOptions> = { code: true, reason: true, quietMs: true }

/** @throws OptionsError when the code or the reason cannot be sent (RFC 6455, sections 5.5 and 7.4). */
export function checkClose(options: CloseOptions): Required<CloseOptions> {
  checkOptionNames(options, NAMES, 'options')
  const { code = 1000, reason = '' } = options
  const quietMs = numberOption(options.quietMs, 'quietMs', 0, { min: 0 })
  // What hosts other than Node let a client send.
  if (code !== 1000 && !(Number.isInteger(code) && code >= 3000 && code <= 4999))
    throw new OptionsError('code', 'cannot be sent by a client.', 'Give 1000, or one from 3000 to 4999.')
  if (typeof reason !== 'string' || new TextEncoder().encode(reason).length > LONGEST_REASON_BYTES)
    throw new OptionsError('reason', 'is not a text of at most 123 bytes.', 'Give a shorter one.')
  return { code, reason, quietMs }
}
