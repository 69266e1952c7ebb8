import { EmulatorOptionsError, required } from '../core/errors.ts'
import { randomText } from '../core/random.ts'
import type { Account, DeviceAuthorization, DeviceState, PollState } from './model.ts'
import type { ExtractionTools } from './choices.ts'

export interface PollResponse {
  /** Absent if the device code is unknown. */
  readonly authorization?: DeviceAuthorization
  status: number
  readonly body: { error: string | null; api_key: string | null; key_prefix: string | null }
}

interface DeviceTools extends ExtractionTools {
  readonly lifetimeSeconds: number
  readonly intervalSeconds: number
  addAccount(): Account
}

/** The default `error` of each state. Only the errors of `pending`, `denied` and `expired` are documented. */
const DEFAULT_ERRORS: Readonly<Record<PollState, string | null>> = {
  pending: 'authorization_pending',
  'too-fast': 'authorization_pending',
  approved: null,
  denied: 'access_denied',
  'after-denial': 'access_denied',
  expired: 'expired_token',
  delivered: 'expired_token',
  unknown: 'expired_token',
}

export class Devices {
  readonly #tools: DeviceTools
  readonly #byDeviceCode = new Map<string, DeviceAuthorization>()
  readonly #byUserCode = new Map<string, DeviceAuthorization>()

  constructor(tools: DeviceTools) {
    this.#tools = tools
  }

  issue(agentName: string | undefined): DeviceAuthorization {
    const { clock, random, choices, lifetimeSeconds, intervalSeconds } = this.#tools
    const now = clock.now()
    const authorization: DeviceAuthorization = {
      deviceCode: choices.newIdentifier('device-code', random),
      userCode: this.#newUserCode(),
      ...(agentName === undefined ? {} : { agentName }),
      createdAt: now,
      expiresAt: now + lifetimeSeconds * 1_000,
      lifetimeSeconds,
      intervalSeconds,
      delivered: false,
      denialReported: false,
      polls: 0,
      tooFastPolls: 0,
    }
    this.#byDeviceCode.set(authorization.deviceCode, authorization)
    this.#byUserCode.set(choices.device.readUserCode(authorization.userCode), authorization)
    return authorization
  }

  poll(deviceCode: string): PollResponse {
    const { choices } = this.#tools
    const authorization = this.#byDeviceCode.get(deviceCode)
    if (!authorization) return this.#withoutKey('unknown')
    if (this.#notePoll(authorization) && choices.respondToPoll('too-fast').error !== undefined)
      return { authorization, ...this.#withoutKey('too-fast') }
    const state = this.stateOf(authorization)
    if (state === 'denied' && authorization.denialReported)
      return { authorization, ...this.#withoutKey('after-denial') }
    if (state === 'denied') authorization.denialReported = true
    const { apiKey, keyPrefix = null } = authorization
    if (state !== 'approved' || apiKey === undefined)
      return { authorization, ...this.#withoutKey(state === 'approved' ? 'delivered' : state) }
    authorization.delivered = true
    delete authorization.apiKey
    const { status = 200, error = null } = choices.respondToPoll('approved')
    return { authorization, status, body: { error, api_key: apiKey, key_prefix: keyPrefix } }
  }

  byUserCode(userCode: string): DeviceAuthorization | undefined {
    return this.#byUserCode.get(this.#tools.choices.device.readUserCode(userCode))
  }

  decide(userCode: string, decision: 'approved' | 'denied'): DeviceAuthorization {
    const authorization = required(this.byUserCode(userCode), `user code ${userCode}`)
    const state = this.stateOf(authorization)
    if (state !== 'pending')
      throw new EmulatorOptionsError(`The user code ${userCode} is not pending; its state is ${state}.`)
    if (decision === 'approved') {
      const { key, keyPrefix } = this.#tools.addAccount()
      Object.assign(authorization, { apiKey: key, keyPrefix })
    }
    authorization.decision = decision
    return authorization
  }

  stateOf({ delivered, expiresAt, decision }: DeviceAuthorization): DeviceState {
    if (delivered) return 'delivered'
    return this.#tools.clock.now() >= expiresAt ? 'expired' : (decision ?? 'pending')
  }

  all(): DeviceAuthorization[] {
    return [...this.#byDeviceCode.values()]
  }

  clear(): void {
    this.#byDeviceCode.clear()
    this.#byUserCode.clear()
  }

  #newUserCode(): string {
    const { random, choices } = this.#tools
    const half = () => randomText(random, 4, choices.device.userCodeAlphabet)
    for (let tries = 0; tries < 1_000; tries++) {
      const code = `${half()}-${half()}`
      if (!this.byUserCode(code)) return code
    }
    throw new EmulatorOptionsError(
      'The choice `device.userCodeAlphabet` has too few characters for another user code. Add characters to it.',
    )
  }

  /** Counts a poll and returns whether it was too early. */
  #notePoll(authorization: DeviceAuthorization): boolean {
    const { clock, choices, log } = this.#tools
    const now = clock.now()
    const earliestAt = (authorization.lastPolledAt ?? -Infinity) + authorization.intervalSeconds * 1_000
    const isTooFast = now + choices.device.pollToleranceMs < earliestAt
    if (isTooFast) {
      authorization.tooFastPolls++
      const { userCode } = authorization
      log('warn', `extraction: user code ${userCode} was polled ${earliestAt - now} ms too early`)
    }
    authorization.lastPolledAt = now
    authorization.polls++
    return isTooFast
  }

  #withoutKey(state: PollState): PollResponse {
    const { status = 200, error = DEFAULT_ERRORS[state] } = this.#tools.choices.respondToPoll(state)
    return { status, body: { error, api_key: null, key_prefix: null } }
  }
}
