import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import {
  changedFiles,
  copyRepository,
  root,
  type Ran,
  type RepositoryCopy,
} from './support/repository-copy.ts'
import { guideSteps } from './support/guide-steps.ts'
import { restart } from './support/restart-operation.ts'

// The commands install packages, generate code and run other tests.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 300_000 })

const guide = 'docs/new-service.md'
let copy: RepositoryCopy

beforeAll(() => {
  copy = copyRepository()
})
afterAll(() => copy[Symbol.dispose]())

/** Runs commands, which must succeed. */
async function succeed(commands: string): Promise<Ran> {
  const ran = await copy.run(commands)
  expect(ran.code, `${commands}\n${ran.output}`).toBe(0)
  return ran
}

describe(guide, () => {
  const steps = guideSteps(readFileSync(join(root, guide), 'utf8'))

  it('creates a client that calls its emulator, with only the commands and files of the guide', async () => {
    expect(steps.map((step) => (step.kind === 'file' ? step.path : step.commands.trim()))).toEqual([
      'npm run new-service weather-stations',
      'specs/weather-stations/openapi.yaml',
      'npm run generate',
      'packages/emulator/src/weather-stations/handlers/weather-stations.ts',
      'packages/weather-stations/contract/walk.ts',
      'cd packages/weather-stations && npm test',
      'examples/weather-stations.ts',
      'npx node --conditions=@concord/source examples/weather-stations.ts',
    ])
    for (const step of steps) {
      if (step.kind === 'file') {
        copy.write(step.path, step.text)
        continue
      }
      const { output } = await succeed(step.commands)
      for (const line of step.prints) expect(output).toContain(line)
    }
  })

  it('creates code that is formatted, passes the lint and compiles', async () => {
    const files = steps.flatMap((step) => (step.kind === 'file' ? [step.path] : []))
    await succeed(`npx oxfmt --check ${files.join(' ')}`)
    await succeed('npx oxlint --deny-warnings packages/weather-stations* packages/emulator/src examples')
    for (const folder of ['weather-stations', 'weather-stations-validators', 'emulator'])
      await succeed(`cd packages/${folder} && npx tsc --noEmit`)
    await succeed('cd packages/weather-stations-validators && npx vitest run')
    await succeed('cd packages/emulator && npx vitest run test/weather-stations')
  })
})

describe('an operation that is added to the service of the guide', () => {
  it('adds an operation with only a contract, a handler and a walk, and names the missing files in errors', async () => {
    const before = copy.snapshot()
    const byHand: string[] = []
    const edit = ({ file, place, text }: (typeof restart)[keyof typeof restart]) => {
      byHand.push(file)
      const parts = copy.read(file).split(place)
      expect(parts, `${place} in ${file}`).toHaveLength(2)
      copy.write(file, parts.join(text + place))
    }
    const contractTest = () =>
      copy.run('cd packages/weather-stations && npx vitest run contract/contract.test.ts')

    edit(restart.contract)
    await succeed('npm run generate -- --service weather-stations')
    const withoutHandler = await contractTest()
    expect(withoutHandler.code).toBe(1)
    expect(withoutHandler.output).toContain(
      'no handler for these operations of the weather-stations contract: restartStation. Add the missing handlers in packages/emulator/src/weather-stations/handlers/',
    )

    edit(restart.handler)
    const withoutWalk = await contractTest()
    expect(withoutWalk.code).toBe(1)
    expect(withoutWalk.output).toContain(
      "packages/weather-stations/contract/walk.ts has no step for restartStation with 202, 401, 409, default. Add a step for each status, for example `step('restartStation', '202',",
    )

    edit(restart.walk)
    expect(await contractTest()).toMatchObject({ code: 0 })
    await succeed('cd specs && npx vitest run test/contracts.test.ts -t weather-stations')

    const generated = changedFiles(before, copy.snapshot()).filter((file) => !byHand.includes(file))
    expect(generated.filter((file) => !/\/gen\/[\w-]+\.gen\.ts$/.test(file))).toEqual([
      'packages/weather-stations/README.md',
      'packages/weather-stations/src/index.ts',
      'specs/README.md',
    ])
    expect(byHand).toEqual([
      'specs/weather-stations/openapi.yaml',
      'packages/emulator/src/weather-stations/handlers/weather-stations.ts',
      'packages/weather-stations/contract/walk.ts',
    ])
    expect(copy.read('specs/README.md')).toContain('Weather stations service: 4 operations')
    expect(copy.read('packages/weather-stations/src/index.ts')).toContain('restartStation')
  })
})

describe('a service with a webhook and a WebSocket', () => {
  it('creates a service with a webhook and a WebSocket that passes all of its checks right away', async () => {
    await succeed('npm run new-service tide-tables -- --events --socket')
    await succeed('npx oxlint --deny-warnings packages/tide-tables* packages/emulator/src/tide-tables')
    for (const folder of ['tide-tables', 'emulator'])
      await succeed(`cd packages/${folder} && npx tsc --noEmit`)
    await succeed('cd packages/tide-tables && npx vitest run contract/contract.test.ts test')
    await succeed('cd packages/tide-tables-validators && npx vitest run')
    await succeed('cd specs && npx vitest run test/contracts.test.ts -t tide-tables')
    // The code of a user, which sends a message and receives one.
    const user = 'tools/consumers/projects/node/services/tide-tables.ts'
    copy.write('examples/tide-tables.ts', copy.read(user))
    await succeed('npx node --conditions=@concord/source examples/tide-tables.ts')
  })
})
