import { systemClock, type Clock } from '../core/clock.ts'
import { parseDuration } from '../core/duration.ts'
import { DeadlineError, TimeoutError } from '../core/errors.ts'
import { createScrub, safeCause, type Scrub } from '../core/redact.ts'
import { retryAfterOf } from '../retry/transient.ts'
import { classifyPollFailure } from '../poll/poll-errors.ts'
import { DeviceAuthorizationError, KeyNotSavedError } from './authorization-errors.ts'
import { HeldKey } from './authorized-key.ts'
import type { AuthorizedKey, DeviceFlowOptions, DeviceTokenAnswer } from './device-flow-options.ts'
import { type DeviceCode, type DevicePrompt, readDeviceCode } from './device-record.ts'
import { FlowScope } from './flow-scope.ts'
import { hideSecrets } from './hide-secrets.ts'

/** RFC 8628, section 3.5: how much `slow_down` adds to the interval, for this poll and all that follow. */
const SLOW_DOWN_MS = 5_000
/** The longest delay after failed polls in a row, unless the interval is longer; the client's own choice. */
const LONGEST_DELAY_MS = 60_000
/** How long a poll that is under way when the codes expire may still bring the key; the client's own choice. */
const GRACE_MS = 10_000
const LOST =
  ' An answer was lost before that may have held the key, and the service gives a key only once. ' +
  'If the user approved, look for a key in the account that nobody has, and remove it.'

/** One device authorization, from the request for the codes to the saved key. */
export class DeviceFlow {
  readonly #options: DeviceFlowOptions
  readonly #clock: Clock
  readonly #scope: FlowScope
  #scrub: Scrub = (text) => text
  #polls = 0
  #intervalMs = 0
  #nextAt = 0
  #failuresInARow = 0
  #keyMayBeLost = false
  #promptFailure: { readonly error: unknown } | undefined
  readonly #promptFailed = Promise.withResolvers<void>()

  constructor(options: DeviceFlowOptions) {
    const { clock = systemClock, deadline, signal, operation } = options
    const limitMs = deadline === undefined ? undefined : parseDuration(deadline)
    const startedAt = clock.monotonic()
    const error = (ms: number): DeadlineError =>
      new DeadlineError(
        `The authorization was not given within the ${ms} ms for it. Ask for a new code to try again.`,
        { limitMs: ms, elapsedMs: clock.monotonic() - startedAt },
        { operation },
      )
    this.#options = options
    this.#clock = clock
    this.#scope = new FlowScope(
      clock,
      signal,
      limitMs === undefined ? undefined : { ms: limitMs, error: () => error(limitMs) },
    )
  }

  async run(): Promise<AuthorizedKey> {
    try {
      return await this.#authorize()
    } catch (error) {
      if (error instanceof KeyNotSavedError) throw error
      // What the caller aborted with is the caller's own, and not looked into.
      if (this.#scope.ended !== undefined) throw this.#scope.ended.error
      throw hideSecrets(error, this.#scrub)
    } finally {
      this.#scope.close()
    }
  }

  async #authorize(): Promise<AuthorizedKey> {
    const { requestCode, operation } = this.#options
    const record = await this.#scope.run((signal) => requestCode(signal))
    const code = readDeviceCode(record, this.#clock.monotonic(), this.#clock.now(), operation)
    this.#scrub = createScrub([code.secret])
    this.#intervalMs = code.intervalMs
    this.#nextAt = code.receivedAt + code.intervalMs
    this.#prompt(code.prompt)
    for (;;) {
      await this.#scope.waitUntil(Math.min(this.#nextAt, code.expiresAt), this.#promptFailed.promise)
      if (this.#promptFailure !== undefined) throw this.#promptFailure.error
      if (this.#clock.monotonic() >= code.expiresAt) throw this.#expired()
      const answer = await this.#poll(code)
      if (answer === undefined) continue
      if (answer.key !== null && answer.key !== undefined) return this.#keep(answer.key, answer.keyPrefix)
      this.#goOn(code, this.#delayAfter(answer.error))
    }
  }

  /** Shows the prompt without waiting for it. A user who has not seen it is not waited for either. */
  #prompt(prompt: DevicePrompt): void {
    const failed = (error: unknown): void => {
      this.#promptFailure = { error }
      this.#promptFailed.resolve()
    }
    void (async () => this.#options.onPrompt(prompt))().catch(failed)
  }

  /** Polls once; gives nothing when the poll failed in a way that is survived. */
  async #poll(code: DeviceCode): Promise<DeviceTokenAnswer | undefined> {
    const { pollToken } = this.#options
    const limitMs = code.expiresAt + GRACE_MS - this.#clock.monotonic()
    const late = (): TimeoutError =>
      new TimeoutError('The codes expired while the answer to a poll was awaited.', {
        limitMs,
        elapsedMs: limitMs,
      })
    this.#polls += 1
    try {
      const until = code.expiresAt + GRACE_MS
      const answer = await this.#scope.run((signal) => pollToken(code.secret, signal), { until, late })
      this.#failuresInARow = 0
      return answer ?? { error: undefined, key: undefined }
    } catch (error) {
      if (this.#scope.ended !== undefined) throw error
      if (classifyPollFailure(error) === 'definite') {
        if (!this.#keyMayBeLost) throw error
        throw this.#failed('The service refused the poll.', undefined, hideSecrets(error, this.#scrub))
      }
      this.#keyMayBeLost ||= mayHaveHeldTheKey(error)
      this.#failuresInARow += 1
      const longest = Math.max(this.#intervalMs, LONGEST_DELAY_MS)
      const delayMs = Math.min(longest, this.#intervalMs * 2 ** this.#failuresInARow)
      this.#goOn(code, Math.max(delayMs, retryAfterOf(error) ?? 0), hideSecrets(error, this.#scrub))
      return undefined
    }
  }

  /** How long to wait after an answer without a key. @throws when there is nothing to wait for. */
  #delayAfter(error: unknown): number {
    switch (error) {
      case 'authorization_pending':
        // Nobody has approved yet, so no key can have been lost.
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
      throw this.#failed('The service ended the authorization with a word that is not known.', error)
    }
    throw this.#failed('The answer of the service holds neither a key nor a reason.', undefined)
  }

  #goOn(code: DeviceCode, delayMs: number, pollError?: unknown): void {
    const now = this.#clock.monotonic()
    this.#nextAt = now + delayMs
    this.#options.onUpdate?.({
      state: 'pending',
      polls: this.#polls,
      elapsedMs: now - code.receivedAt,
      nextPollInMs: this.#nextAt < code.expiresAt ? delayMs : undefined,
      expiresInMs: Math.max(0, code.expiresAt - now),
      ...(pollError === undefined ? {} : { pollError }),
    })
  }

  /** From here on nothing interrupts: the service does not give the key again. */
  async #keep(key: unknown, prefix: unknown): Promise<AuthorizedKey> {
    if (typeof key !== 'string' || key === '') {
      this.#keyMayBeLost = true
      throw this.#failed('What the service gave as the key is not a text.', undefined)
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
    return this.#error('authorization-expired', 'The codes expired before the user approved.', serviceError)
  }

  #failed(what: string, serviceError: string | undefined, cause?: unknown): DeviceAuthorizationError {
    return this.#error('authorization-failed', what, serviceError, cause)
  }

  #error(
    outcome: 'authorization-denied' | 'authorization-expired' | 'authorization-failed',
    what: string,
    serviceError: string | undefined,
    cause?: unknown,
  ): DeviceAuthorizationError {
    // A denial is the user's answer: there was no key to lose.
    const keyMayBeLost = this.#keyMayBeLost && outcome !== 'authorization-denied'
    const said = serviceError === undefined ? undefined : this.#scrub(serviceError).slice(0, 200)
    return new DeviceAuthorizationError(
      outcome,
      `${what} Ask for a new code to try again.${keyMayBeLost ? LOST : ''}`,
      { serviceError: said, keyMayBeLost },
      { operation: this.#options.operation, cause },
    )
  }
}

/** Whether the service may have answered a poll that failed. */
function mayHaveHeldTheKey(error: unknown): boolean {
  const { code, sent, status } = error as {
    readonly code?: string
    readonly sent?: string
    readonly status?: number
  }
  if (code === 'connection' || code === 'timeout') return sent !== 'no'
  // A refusal for its rate is no answer to the poll; anything else may have come after the service gave the key out.
  return status !== 429
}
