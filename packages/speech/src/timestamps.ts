import { OptionsError } from '@concord/runtime'
import {
  type ConnectionBase,
  checkOptionNames,
  choiceOption,
  type OptionNames,
} from '@concord/runtime/internal'

/**
 * Where events contain timestamps. The service's timestamps start at 00:00:00 on each connection, so the client
 * shifts them after a reconnect. The documentation shows no payloads, so you have to say where the timestamps are.
 *
 * @public
 */
export interface Timestamps {
  /**
   * JSON Pointers to the timestamps. `*` matches every item of an array and every property of an object, as in
   * `/times/*`. A pointer can continue after `*`, for example with `/end`. A timestamp can be a number (see `unit`)
   * or a string such as `00:00:01.5`. Other values stay unchanged.
   */
  readonly at: readonly string[]
  /** The unit of timestamps that are numbers. Default: seconds. */
  readonly unit?: 's' | 'ms'
  /**
   * The number of bytes per second of audio (16-bit mono at 16 kHz: 32,000). If set, timestamps after a reconnect
   * continue where the earlier audio ends. Earlier audio includes audio that the client couldn't send. For live audio,
   * don't set this option: by default, timestamps are shifted by the time from the first audio of the stream to the
   * first audio of the new connection.
   */
  readonly bytesPerSecond?: number
}

const NAMES: OptionNames<Timestamps> = { at: true, unit: true, bytesPerSecond: true }

/** Creates the runtime's `rebase` function from {@link Timestamps}. @throws OptionsError */
export function rebaseWith(timestamps: Timestamps): (data: unknown, base: ConnectionBase) => unknown {
  checkOptionNames(timestamps, NAMES, 'timestamps')
  const { at } = timestamps
  if (
    !Array.isArray(at) ||
    at.length === 0 ||
    !at.every((one) => typeof one === 'string' && one.startsWith('/'))
  )
    throw new OptionsError(
      'timestamps.at',
      'must be a non-empty array of JSON Pointers.',
      "Pass at least one, such as ['/start'].",
    )
  const paths = at.map((pointer: string) =>
    pointer
      .slice(1)
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')),
  )
  const perMs =
    choiceOption(timestamps.unit, 'timestamps.unit', { s: true, ms: true }, 's') === 's' ? 1 / 1000 : 1
  const { bytesPerSecond } = timestamps
  if (bytesPerSecond !== undefined && !(Number.isFinite(bytesPerSecond) && bytesPerSecond > 0))
    throw new OptionsError(
      'timestamps.bytesPerSecond',
      'must be a number above 0.',
      'Pass such a number, or omit the option.',
    )
  return (data, base) => {
    if (data instanceof Uint8Array) return data
    const offsetMs =
      bytesPerSecond === undefined ? base.offsetMs : (base.binaryBytesBefore / bytesPerSecond) * 1000
    let shifted: unknown = data
    for (const path of paths) shifted = shift(shifted, path, offsetMs, perMs)
    return shifted
  }
}

/** Returns `value` with the timestamps at `path` shifted. Copies only the objects on the path. */
function shift(value: unknown, path: readonly string[], offsetMs: number, perMs: number): unknown {
  const [name, ...rest] = path
  if (name === undefined) return later(value, offsetMs, perMs)
  if (typeof value !== 'object' || value === null) return value
  const keys = name === '*' ? Object.keys(value) : Object.hasOwn(value, name) ? [name] : []
  const copy: Record<string, unknown> = Array.isArray(value)
    ? ([...value] as unknown as Record<string, unknown>)
    : { ...value }
  for (const key of keys)
    Object.defineProperty(copy, key, {
      value: shift(copy[key], rest, offsetMs, perMs),
      writable: true,
      enumerable: true,
      configurable: true,
    })
  return copy
}

/** A string with more fraction digits doesn't count as a timestamp. */
const MAX_FRACTION_DIGITS = 12

function later(stamp: unknown, offsetMs: number, perMs: number): unknown {
  if (typeof stamp === 'number') return withoutNoise(stamp + offsetMs * perMs)
  if (typeof stamp !== 'string') return stamp
  const parts = TIME.exec(stamp)
  if (parts === null) return stamp
  const [, hours = '', minutes = '', seconds = '', fraction = ''] = parts
  const sumMs = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds + fraction)) * 1000 + offsetMs
  // Keep the number of fraction digits if it is enough for the exact sum. Otherwise, round the sum to three digits,
  // or to more if `stamp` has more.
  const written = Math.max(fraction.length - 1, 0)
  const digits = Number.isInteger(sumMs * 10 ** (written - 3)) ? written : Math.max(written, 3)
  // The sum is rounded before it is split into hours, minutes and seconds. Otherwise, rounding could turn the seconds
  // into 60.
  const ms = Math.round(sumMs * 10 ** (digits - 3)) / 10 ** (digits - 3)
  const two = (count: number): string => String(count).padStart(2, '0')
  const rest = ((ms / 1000) % 60).toFixed(digits)
  const shown = digits > 0 ? rest.padStart(3 + digits, '0') : rest.padStart(2, '0')
  return `${two(Math.floor(ms / 3_600_000))}:${two(Math.floor(ms / 60_000) % 60)}:${shown}`
}

const TIME = new RegExp(`^(\\d{2,6}):([0-5]\\d):([0-5]\\d)(\\.\\d{1,${MAX_FRACTION_DIGITS}})?$`)

/** Rounds a sum of decimal fractions to nine decimal places, so that 0.1 + 0.2 is 0.3. */
const withoutNoise = (value: number): number =>
  Math.abs(value) < 1e6 ? Math.round(value * 1e9) / 1e9 : value
