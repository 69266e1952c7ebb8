import type { Clock } from '../core/clock.ts'
import { EmulatorOptionsError } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import { randomText, type RandomSource } from '../core/random.ts'
import type { ExtractionChoices } from './choices.ts'
import type { Account, DeviceAuthorization, DeviceState } from './model.ts'

/** The three fields of a device token response, and its status. */
export interface TokenAnswer {
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

/** Makes an empty set of device authorizations. */
export function createDevices(tools: DeviceTools): Devices {
  const { clock, random, choices } = tools
  const byDeviceCode = new Map<string, DeviceAuthorization>()
  const byCode = new Map<string, DeviceAuthorization>()

  function newUserCode(): string {
    const half = () => randomText(random, 4, choices.userCodeAlphabet)
    for (let tries = 0; tries < 1_000; tries++) {
      const code = `${half()}-${half()}`
      if (!byCode.has(choices.readUserCode(code))) return code
    }
    throw new EmulatorOptionsError('userCodeAlphabet has too few characters for another user code.')
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
    const isTooFast = now + choices.pollToleranceMs < earliestAt
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

  return {
    issue(agentName) {
      const now = clock.now()
      const authorization: DeviceAuthorization = {
        deviceCode: choices.newDeviceCode(random),
        userCode: newUserCode(),
        ...(agentName === undefined ? {} : { agentName }),
        createdAt: now,
        expiresAt: choices.deviceExpiresAt(now, tools.lifetimeSeconds),
        lifetimeSeconds: tools.lifetimeSeconds,
        intervalSeconds: tools.intervalSeconds,
        delivered: false,
        denialTold: false,
        polls: 0,
        tooFastPolls: 0,
      }
      byDeviceCode.set(authorization.deviceCode, authorization)
      byCode.set(choices.readUserCode(authorization.userCode), authorization)
      return authorization
    },
    poll(deviceCode) {
      const without = (status: number, error: string | null): TokenAnswer => ({
        status,
        body: { error, api_key: null, key_prefix: null },
      })
      const { tokenStatus } = choices
      const authorization = byDeviceCode.get(deviceCode)
      if (!authorization) return without(tokenStatus.unknown, choices.tokenErrorForUnknownCode)
      const isTooFast = notePoll(authorization)
      if (isTooFast && choices.tokenErrorTooFast !== undefined)
        return without(tokenStatus.pending, choices.tokenErrorTooFast)
      const state = stateOf(authorization)
      if (state === 'pending') return without(tokenStatus.pending, 'authorization_pending')
      if (state === 'denied') {
        if (authorization.denialTold) return without(tokenStatus.afterDenial, choices.tokenErrorAfterDenial)
        authorization.denialTold = true
        return without(tokenStatus.denied, 'access_denied')
      }
      if (state === 'expired') return without(tokenStatus.expired, 'expired_token')
      const { apiKey } = authorization
      if (state === 'delivered' || apiKey === undefined)
        return without(tokenStatus.delivered, choices.tokenErrorAfterDelivery)
      authorization.delivered = true
      delete authorization.apiKey
      return {
        status: tokenStatus.approved,
        body: {
          error: choices.tokenErrorOnSuccess,
          api_key: apiKey,
          key_prefix: choices.keyPrefixOf(apiKey),
        },
      }
    },
    byUserCode: (userCode) => byCode.get(choices.readUserCode(userCode)),
    decide(userCode, decision) {
      const authorization = byCode.get(choices.readUserCode(userCode))
      if (!authorization) throw new EmulatorOptionsError(`There is no user code ${userCode}.`)
      const state = stateOf(authorization)
      if (state !== 'pending')
        throw new EmulatorOptionsError(`The user code ${userCode} is ${state} already.`)
      if (decision === 'approved') authorization.apiKey = tools.addAccount().key
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
