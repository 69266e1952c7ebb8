import type { Clock } from '../core/clock.ts'
import { EmulatorOptionsError } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import { randomText, type RandomSource } from '../core/random.ts'
import type { ExtractionChoices, PollState } from './choices.ts'
import type { Account, DeviceAuthorization, DeviceState } from './model.ts'

/** The three fields of a device token response, and its status. */
export interface TokenAnswer {
  /** Absent for a code that was never given out. */
  authorization?: DeviceAuthorization
  status: number
  body: { error: string | null; api_key: string | null; key_prefix: string | null }
}

/** The device authorizations. */
export interface Devices {
  issue(agentName: string | undefined): DeviceAuthorization
  poll(deviceCode: string): TokenAnswer
  /** Finds the authorization whose code a user typed. */
  byUserCode(userCode: string): DeviceAuthorization | undefined
  decide(userCode: string, decision: 'approved' | 'denied'): DeviceAuthorization
  stateOf(authorization: DeviceAuthorization): DeviceState
  all(): DeviceAuthorization[]
  clear(): void
}

/** What device authorizations work with. */
export interface DeviceTools {
  clock: Clock
  random: RandomSource
  choices: ExtractionChoices
  log: Log
  lifetimeSeconds: number
  intervalSeconds: number
  addAccount(): Account
}

/** `error` of each state: documented as far as the documentation goes, else the emulator's own. */
const OWN_ERRORS: Readonly<Record<PollState, string | null>> = {
  pending: 'authorization_pending',
  'too-fast': 'authorization_pending',
  approved: null,
  denied: 'access_denied',
  'after-denial': 'access_denied',
  expired: 'expired_token',
  delivered: 'expired_token',
  unknown: 'expired_token',
}

/** Makes an empty set of device authorizations. */
export function createDevices(tools: DeviceTools): Devices {
  const { clock, random, choices } = tools
  const byDeviceCode = new Map<string, DeviceAuthorization>()
  const byCode = new Map<string, DeviceAuthorization>()

  function newUserCode(): string {
    const half = () => randomText(random, 4, choices.device.userCodeAlphabet)
    for (let tries = 0; tries < 1_000; tries++) {
      const code = `${half()}-${half()}`
      if (!byCode.has(choices.device.readUserCode(code))) return code
    }
    throw new EmulatorOptionsError('device.userCodeAlphabet has too few characters for another user code.')
  }

  function stateOf(authorization: DeviceAuthorization): DeviceState {
    if (authorization.delivered) return 'delivered'
    if (clock.now() >= authorization.expiresAt) return 'expired'
    return authorization.decision ?? 'pending'
  }

  /** Counts a poll; answers whether it came too early. */
  function notePoll(authorization: DeviceAuthorization): boolean {
    const now = clock.now()
    const earliestAt = (authorization.lastPolledAt ?? -Infinity) + authorization.intervalSeconds * 1_000
    const isTooFast = now + choices.device.pollToleranceMs < earliestAt
    if (isTooFast) {
      authorization.tooFastPolls++
      tools.log(
        'warn',
        `extraction: user code ${authorization.userCode} was polled ${earliestAt - now} ms too early`,
      )
    }
    authorization.lastPolledAt = now
    authorization.polls++
    return isTooFast
  }

  function withoutKey(state: PollState): TokenAnswer {
    const { status = 200, error = OWN_ERRORS[state] } = choices.answerPoll(state)
    return { status, body: { error, api_key: null, key_prefix: null } }
  }

  return {
    issue(agentName) {
      const now = clock.now()
      const authorization: DeviceAuthorization = {
        deviceCode: choices.newIdentifier('device-code', random),
        userCode: newUserCode(),
        ...(agentName === undefined ? {} : { agentName }),
        createdAt: now,
        expiresAt: now + tools.lifetimeSeconds * 1_000,
        lifetimeSeconds: tools.lifetimeSeconds,
        intervalSeconds: tools.intervalSeconds,
        delivered: false,
        denialTold: false,
        polls: 0,
        tooFastPolls: 0,
      }
      byDeviceCode.set(authorization.deviceCode, authorization)
      byCode.set(choices.device.readUserCode(authorization.userCode), authorization)
      return authorization
    },
    poll(deviceCode) {
      const authorization = byDeviceCode.get(deviceCode)
      if (!authorization) return withoutKey('unknown')
      if (notePoll(authorization)) {
        // A poll that came too early is answered as any other, unless it gets an error of its own.
        const { error } = choices.answerPoll('too-fast')
        if (error !== undefined) return { authorization, ...withoutKey('too-fast') }
      }
      const state = stateOf(authorization)
      if (state === 'denied' && authorization.denialTold)
        return { authorization, ...withoutKey('after-denial') }
      if (state === 'denied') authorization.denialTold = true
      const { apiKey } = authorization
      if (state !== 'approved' || apiKey === undefined)
        return { authorization, ...withoutKey(state === 'approved' ? 'delivered' : state) }
      authorization.delivered = true
      delete authorization.apiKey
      const { status = 200, error = null } = choices.answerPoll('approved')
      return {
        authorization,
        status,
        body: { error, api_key: apiKey, key_prefix: authorization.keyPrefix ?? null },
      }
    },
    byUserCode: (userCode) => byCode.get(choices.device.readUserCode(userCode)),
    decide(userCode, decision) {
      const authorization = byCode.get(choices.device.readUserCode(userCode))
      if (!authorization) throw new EmulatorOptionsError(`There is no user code ${userCode}.`)
      const state = stateOf(authorization)
      if (state !== 'pending')
        throw new EmulatorOptionsError(`The user code ${userCode} is ${state} already.`)
      if (decision === 'approved') {
        const { key, keyPrefix } = tools.addAccount()
        Object.assign(authorization, { apiKey: key, keyPrefix })
      }
      authorization.decision = decision
      return authorization
    },
    stateOf,
    all: () => [...byDeviceCode.values()],
    clear() {
      byDeviceCode.clear()
      byCode.clear()
    },
  }
}
