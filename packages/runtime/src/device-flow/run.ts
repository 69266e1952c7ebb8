import { bounded, wait } from '../core/async.ts'
import type { Clock } from '../core/clock.ts'
import { safeCause } from '../core/api-errors.ts'
import { ContractDriftError, type Issue, TimeoutError } from '../core/errors.ts'
import {
  checkOptionNames,
  clockOption,
  functionOption,
  type OptionNames,
  parseDuration,
  signalOption,
} from '../core/option-checks.ts'
import { createScrub, REDACTED, type Scrub } from '../core/redact.ts'
import { noteCallerError } from '../retry/caller-errors.ts'
import { outcomeOf } from '../retry/outcome.ts'
import { classifyPollFailure, type Retry, retry, retryEvent } from '../retry/retry.ts'
import { DeviceAuthorizationError, DeviceDeadlineError, KEY_MAY_BE_LOST, KeyNotSavedError } from './errors.ts'
import type {
  AuthorizedKey,
  DeviceCodeRecord,
  DevicePrompt,
  DeviceFlowOptions,
  DeviceTokenResponse,
  DeviceUpdate,
} from './authorize-device.ts'

/** RFC 8628, section 3.5: `slow_down` adds this to the interval for all further polls. */
const SLOW_DOWN_MS = 5_000
/** The longest delay after failed polls, unless the interval is longer. */
const MAX_DELAY_MS = 60_000
/** The extra time for the response to a poll that is in flight when the codes expire. */
const GRACE_MS = 10_000

/** The interval if the response doesn't specify one (RFC 8628, section 3.2). */
const DEFAULT_INTERVAL_S = 5
/** The shortest interval, even if the response specifies a shorter one. */
const MIN_INTERVAL_S = 1

const NAMES: OptionNames<DeviceFlowOptions> = {
  requestCode: true,
  pollToken: true,
  onPrompt: true,
  save: true,
  onUpdate: true,
  deadline: true,
  signal: true,
  clock: true,
  emit: true,
  operation: true,
}

const NO_RESPONSE: DeviceTokenResponse = { error: undefined, key: undefined }

/** One device authorization, from the request for the codes to the saved key. */
export class DeviceFlow {
  readonly #options: DeviceFlowOptions
  readonly #clock: Clock
  readonly #limitMs: number
  readonly #startedAt: number
  /** Aborted at the deadline. Like the caller's signal, it ends everything except `save`. */
  readonly #deadline = new AbortController()
  readonly #signals: readonly AbortSignal[]
  /** Aborted when `onPrompt` fails. Ends a wait, but not a poll in flight, because the poll may return the key. */
  readonly #promptFailed = new AbortController()
  #scrub: Scrub = (text) => text
  #code: DeviceCode | undefined
  #polls = 0
  #intervalMs = 0
  #isPolling = false
  #keyMayBeLost = false

  /** @throws OptionsError */
  constructor(options: DeviceFlowOptions) {
    checkOptionNames(options, NAMES, 'options')
    const { deadline } = options
    signalOption(options.signal)
    functionOption(options.onUpdate, 'onUpdate')
    functionOption(options.emit, 'emit')
    const clock = clockOption(options.clock)
    this.#options = options
    this.#clock = clock
    this.#signals = [options.signal, this.#deadline.signal].filter((signal) => signal !== undefined)
    this.#limitMs = deadline === undefined ? Infinity : parseDuration(deadline)
    this.#startedAt = clock.monotonic()
  }

  async run(): Promise<AuthorizedKey> {
    this.#options.signal?.throwIfAborted()
    const timer =
      this.#limitMs === Infinity
        ? undefined
        : this.#clock.setTimer(() => this.#deadline.abort(this.#deadlineError()), this.#limitMs)
    try {
      return await this.#authorize()
    } catch (error) {
      if (error instanceof KeyNotSavedError) throw error
      const ended = this.#signals.find(({ aborted }) => aborted)
      if (ended === undefined) throw hideSecrets(error, this.#scrub)
      this.#reportLoss()
      // The reason comes from the caller's signal or is a DeviceDeadlineError, so it isn't searched for secrets.
      throw ended.reason
    } finally {
      timer?.cancel()
    }
  }

  get #isEnded(): boolean {
    return this.#signals.some(({ aborted }) => aborted)
  }

  async #authorize(): Promise<AuthorizedKey> {
    const { requestCode, operation } = this.#options
    const record = await bounded((signal) => requestCode(signal), { signals: this.#signals })
    const code = readDeviceCode(record, this.#clock.monotonic(), this.#clock.now(), operation)
    this.#code = code
    this.#scrub = createScrub([code.secret])
    this.#intervalMs = code.intervalMs
    this.#prompt(code.prompt)
    const waits = [...this.#signals, this.#promptFailed.signal]
    for (let delayMs = this.#intervalMs; ;) {
      const leftMs = code.expiresAt - this.#clock.monotonic()
      await wait(this.#clock, Math.max(0, Math.min(delayMs, leftMs)), waits)
      const response = await this.#pollUntilResponse(code, waits)
      if (response.key !== null && response.key !== undefined)
        return this.#keep(response.key, response.keyPrefix)
      delayMs = this.#delayAfter(response.error)
      this.#update(delayMs)
    }
  }

  /** If `onPrompt` fails, polling ends, because the user may not have seen the code. */
  #prompt(prompt: DevicePrompt): void {
    const failed = (error: unknown): void => {
      noteCallerError(error, 'uncertain')
      this.#promptFailed.abort(error)
    }
    void (async () => this.#options.onPrompt(prompt))().catch(failed)
  }

  /** Retries failed polls while the codes are valid, with growing delays (RFC 8628, section 3.5). */
  async #pollUntilResponse(code: DeviceCode, signals: readonly AbortSignal[]): Promise<DeviceTokenResponse> {
    const isTransient = (error: unknown): boolean =>
      !this.#isEnded && classifyPollFailure(error) !== 'definite'
    const polling = retry<DeviceTokenResponse>({
      attempt: () => this.#poll(code),
      again: isTransient,
      clock: this.#clock,
      // No jitter, so that no poll is sent before the interval has passed. A single user needs no jitter.
      random: () => 1,
      backoff: { baseMs: 2 * this.#intervalMs, capMs: Math.max(this.#intervalMs, MAX_DELAY_MS) },
      endsAtMs: code.expiresAt,
      signals,
      onRetry: (retried) => this.#onRetry(retried),
    })
    try {
      return await polling
    } catch (error) {
      if (!isTransient(error)) throw error
      // The retries ended, because the next poll would come after the codes have expired.
      this.#update(Infinity, hideSecrets(error, this.#scrub))
      await wait(this.#clock, Math.max(0, code.expiresAt - this.#clock.monotonic()), signals)
      throw this.#expired()
    }
  }

  #onRetry(retried: Retry): void {
    const { emit, operation = 'authorizeDevice' } = this.#options
    tell(() => emit?.(retryEvent(operation, this.#polls, retried)))
    this.#update(retried.delayMs, hideSecrets(retried.error, this.#scrub))
  }

  async #poll(code: DeviceCode): Promise<DeviceTokenResponse> {
    const { pollToken } = this.#options
    const nowMs = this.#clock.monotonic()
    if (nowMs >= code.expiresAt) throw this.#expired()
    const limitMs = code.expiresAt + GRACE_MS - nowMs
    this.#polls += 1
    this.#isPolling = true
    try {
      const response = await bounded((signal) => pollToken(code.secret, signal), {
        signals: this.#signals,
        limit: {
          clock: this.#clock,
          ms: limitMs,
          error: (elapsedMs) =>
            new TimeoutError('The device code expired before the response to a poll arrived.', {
              limitMs,
              elapsedMs,
            }),
        },
      })
      this.#isPolling = false
      return response ?? NO_RESPONSE
    } catch (error) {
      if (this.#isEnded) throw error
      this.#isPolling = false
      if (classifyPollFailure(error) === 'definite') {
        if (!this.#keyMayBeLost) throw error
        const cause = hideSecrets(error, this.#scrub)
        throw this.#error(
          'authorization-failed',
          'The service rejected a poll for the key.',
          undefined,
          cause,
        )
      }
      // The service may have issued the key before its response was lost.
      this.#keyMayBeLost ||= outcomeOf(error) === 'uncertain'
      throw error
    }
  }

  /** Returns how long to wait after a response without a key. @throws DeviceAuthorizationError if no key can follow. */
  #delayAfter(error: unknown): number {
    switch (error) {
      case 'authorization_pending':
        // The user hasn't approved yet, so no key can have been lost.
        this.#keyMayBeLost = false
        return this.#intervalMs
      case 'slow_down':
        this.#keyMayBeLost = false
        this.#intervalMs += SLOW_DOWN_MS
        return this.#intervalMs
      case 'access_denied':
        throw this.#error('authorization-denied', 'The user denied the authorization.', 'access_denied')
      case 'expired_token':
        throw this.#expired('expired_token')
    }
    if (typeof error === 'string') {
      const ended = 'The service ended the authorization with an unknown error.'
      throw this.#error('authorization-failed', ended, error)
    }
    throw this.#error('authorization-failed', 'The response to a poll contains neither a key nor an error.')
  }

  #update(delayMs: number, pollError?: unknown): void {
    const now = this.#clock.monotonic()
    // `#code` can't be undefined, because the first update comes after the first poll.
    const code = this.#code!
    const update: DeviceUpdate = {
      state: 'pending',
      polls: this.#polls,
      elapsedMs: now - code.receivedAt,
      nextPollInMs: now + delayMs < code.expiresAt ? delayMs : undefined,
      expiresInMs: Math.max(0, code.expiresAt - now),
      keyMayBeLost: this.#keyMayBeLost,
      ...(pollError === undefined ? {} : { pollError }),
    }
    tell(() => this.#options.onUpdate?.(update))
  }

  /**
   * Sends a last update if a key may be lost. After an abort, the error can't report this, because the error is the
   * caller's own reason.
   */
  #reportLoss(): void {
    this.#keyMayBeLost ||= this.#isPolling
    if (!this.#keyMayBeLost) return
    try {
      this.#update(Infinity)
    } catch {
      // The caller has to see the abort or the deadline, not this error.
    }
  }

  #deadlineError(): DeviceDeadlineError {
    const keyMayBeLost = this.#keyMayBeLost || this.#isPolling
    const elapsedMs = this.#clock.monotonic() - this.#startedAt
    return new DeviceDeadlineError(
      `The key did not arrive within the deadline of ${this.#limitMs} ms. Start a new authorization to try again.` +
        (keyMayBeLost ? KEY_MAY_BE_LOST : ''),
      { limitMs: this.#limitMs, elapsedMs, keyMayBeLost },
      { operation: this.#options.operation },
    )
  }

  /** Saves the key. Nothing interrupts this, because the service doesn't issue the key again. */
  async #keep(key: unknown, prefix: unknown): Promise<AuthorizedKey> {
    if (typeof key !== 'string' || key === '') {
      this.#keyMayBeLost = true
      throw this.#error('authorization-failed', 'The key that the service returned is empty or not a string.')
    }
    const keyPrefix = typeof prefix === 'string' && !prefix.includes(key) ? prefix : undefined
    try {
      await this.#options.save(key, { keyPrefix })
    } catch (error) {
      const cause = safeCause(error, (text) => createScrub([key])(this.#scrub(text)))
      throw new KeyNotSavedError(key, keyPrefix, { cause, operation: this.#options.operation })
    }
    return new HeldKey(key, keyPrefix)
  }

  #expired(serviceError?: string): DeviceAuthorizationError {
    const problem = 'The device code expired before the key arrived.'
    return this.#error('authorization-expired', problem, serviceError)
  }

  #error(
    outcome: 'authorization-denied' | 'authorization-expired' | 'authorization-failed',
    what: string,
    serviceError?: string,
    cause?: unknown,
  ): DeviceAuthorizationError {
    // After a denial, no key can be lost.
    const keyMayBeLost = this.#keyMayBeLost && outcome !== 'authorization-denied'
    const said = serviceError === undefined ? undefined : this.#scrub(serviceError).slice(0, 200)
    return new DeviceAuthorizationError(
      outcome,
      `${what} Start a new authorization to try again.${keyMayBeLost ? KEY_MAY_BE_LOST : ''}`,
      { serviceError: said, keyMayBeLost },
      { operation: this.#options.operation, cause },
    )
  }
}

/** Notes an error of the callback as the caller's error, so that it isn't mistaken for a failed poll. */
function tell(callback: () => void): void {
  try {
    callback()
  } catch (error) {
    noteCallerError(error, 'uncertain')
    throw error
  }
}

/** A key that `inspect`, `JSON.stringify` and `String` don't show. */
class HeldKey implements AuthorizedKey {
  readonly keyPrefix: string | undefined
  readonly #key: string

  constructor(key: string, keyPrefix: string | undefined) {
    this.#key = key
    this.keyPrefix = keyPrefix
  }

  get(): string {
    return this.#key
  }

  toJSON(): Record<string, unknown> {
    return { keyPrefix: this.keyPrefix, key: REDACTED }
  }

  toString(): string {
    return `AuthorizedKey ${JSON.stringify(this)}`
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString()
  }
}

/**
 * Returns the error itself if printing it would show no secret. Otherwise, returns a new error whose cause is a
 * scrubbed copy of the original.
 */
function hideSecrets(error: unknown, scrub: Scrub): unknown {
  if (error instanceof Error && !shows(error, scrub, new Set(), 0)) return error
  return new DeviceAuthorizationError(
    'authorization-failed',
    'A function that was passed to `authorizeDevice` failed. For the original error without secrets, see `cause`.',
    {},
    { cause: safeCause(error, scrub) },
  )
}

/** Returns whether `inspect`, `JSON.stringify` or `String` would show a secret in this value. */
function shows(value: unknown, scrub: Scrub, seen: Set<unknown>, depth: number): boolean {
  if (typeof value === 'string') return scrub(value) !== value
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value))
    return false
  // Anything deeper is not searched, so it counts as a secret.
  if (depth > 8) return true
  seen.add(value)
  const within = (part: unknown): boolean => shows(part, scrub, seen, depth + 1)
  if (value instanceof Map || value instanceof Set) {
    for (const part of value.entries()) if (within(part)) return true
  }
  for (const key of Reflect.ownKeys(value)) {
    if (within(typeof key === 'symbol' ? key.description : key)) return true
    try {
      if (within(Reflect.get(value, key))) return true
    } catch {
      return true // A property that can't be read may be a secret.
    }
  }
  return false
}

/** The checked result of `requestCode`, and the times derived from it. */
interface DeviceCode {
  readonly secret: string
  readonly prompt: DevicePrompt
  readonly intervalMs: number
  /** On the monotonic clock, in milliseconds. */
  readonly receivedAt: number
  /** On the monotonic clock, in milliseconds. */
  readonly expiresAt: number
}

/** @throws ContractDriftError that names the invalid fields, without their values. */
function readDeviceCode(
  record: DeviceCodeRecord,
  receivedAt: number,
  nowMs: number,
  operation: string | undefined,
): DeviceCode {
  const issues: Issue[] = []
  const need = (name: keyof DeviceCodeRecord, holds: boolean, what: string): void => {
    if (!holds) issues.push({ path: `/${name}`, reason: `must be ${what}` })
  }
  const given: Partial<Record<keyof DeviceCodeRecord, unknown>> = record ?? {}
  for (const name of ['device_code', 'user_code', 'verification_uri'] as const) {
    need(name, typeof given[name] === 'string' && given[name] !== '', 'a non-empty string')
  }
  const complete = given.verification_uri_complete
  need('verification_uri_complete', complete === undefined || typeof complete === 'string', 'a string')
  need('expires_in', isFinite(given.expires_in) && given.expires_in > 0, 'a number of seconds above 0')
  const { interval = DEFAULT_INTERVAL_S } = given
  need('interval', isFinite(interval) && interval >= 0, 'a number of seconds (0 or more)')
  if (issues.length > 0) {
    throw new ContractDriftError(
      'The response with the device code does not match the contract: ' +
        issues.map(({ path, reason }) => `${path} ${reason}`).join(', ') +
        '. No authorization was started.',
      issues,
      undefined,
      { operation },
    )
  }
  const lifetimeMs = record.expires_in * 1000
  const prompt = {
    user_code: record.user_code,
    verification_uri: record.verification_uri,
    expires_in: record.expires_in,
    expiresAtMs: nowMs + lifetimeMs,
  }
  return {
    secret: record.device_code,
    prompt:
      record.verification_uri_complete === undefined
        ? prompt
        : { ...prompt, verification_uri_complete: record.verification_uri_complete },
    intervalMs: Math.max(MIN_INTERVAL_S, record.interval ?? DEFAULT_INTERVAL_S) * 1000,
    receivedAt,
    expiresAt: receivedAt + lifetimeMs,
  }
}

function isFinite(value: unknown): value is number {
  return Number.isFinite(value)
}
