import { expect, it } from 'vitest'

import { frozenClock } from '../../src/core/clock.ts'
import { seededRandom } from '../../src/core/random.ts'
import { Accounts } from '../../src/extraction/accounts.ts'
import { defaultExtractionChoices as choices } from '../../src/extraction/choices.ts'
import { Devices } from '../../src/extraction/devices.ts'
import { PLANS } from '../../src/extraction/plans.ts'

it('a key is cleared once it was returned', () => {
  const [clock, random] = [frozenClock(), seededRandom('devices')]
  const accounts = new Accounts({ clock, random, choices })
  const devices = new Devices({
    clock,
    random,
    choices,
    log: () => {},
    lifetimeSeconds: 900,
    intervalSeconds: 5,
    addAccount: () => accounts.add(PLANS.pro),
  })
  const authorization = devices.issue('Invoice reader')
  devices.decide(authorization.userCode, 'approved')
  const key = accounts.all()[0]?.key
  expect(authorization.apiKey).toBe(key)
  expect(devices.poll(authorization.deviceCode).body.api_key).toBe(key)
  expect(authorization).not.toHaveProperty('apiKey')
})
