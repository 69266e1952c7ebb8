import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import {
  createContractSuite,
  createSocketSuite,
  mergeReports,
  type SocketStepResult,
  type WalkStepResult,
} from '@concord/contract'
import { writeReports } from '@concord/contract-kit'

import { speechSockets, speechSubject } from './subject.ts'
import { speechSocketWalk, speechWalk } from './walk.ts'

// Many exchanges in one test; a busy machine must not fail it.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const suite = await createContractSuite({ spec: 'speech', subject: speechSubject() })
const sockets = await createSocketSuite({ spec: 'speech', subject: speechSockets() })
const report = () => mergeReports(suite.report(), sockets.report())
afterAll(async () => {
  await suite.close()
  await sockets.close()
  await writeReports(new URL('../reports/', import.meta.url), report())
})

describe('the client against the contract', () => {
  it.each(suite.checks)('$name', async ({ run }) => {
    expect(await run()).toEqual([])
  })
})

describe('the channels of the client against the contract', () => {
  it.each(sockets.checks)('$name', async ({ run }) => {
    expect(await run()).toEqual([])
  })
})

describe('the emulator against the contract', () => {
  let steps: readonly WalkStepResult[]
  let socketSteps: readonly SocketStepResult[]
  beforeAll(async () => {
    await using served = await speechWalk()
    steps = await suite.walk(served.walk)
    await using connected = await speechSocketWalk()
    socketSteps = await sockets.walk(connected.walk)
  })

  it('keeps to the contract on every step of the walk', () => {
    const wrong = steps.filter(({ findings }) => findings.length > 0)
    expect(wrong.map(({ name, findings }) => ({ name, findings }))).toEqual([])
  })

  it('keeps to the contract on every connection of the walk', () => {
    const wrong = socketSteps.filter(({ findings }) => findings.length > 0)
    expect(wrong.map(({ name, findings }) => ({ name, findings }))).toEqual([])
  })
})

it('everything that the contract documents is covered', () => {
  expect(report().problems).toEqual([])
})
