import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { kebabCase, stubsFor, writeEdits } from '../src/stubs.ts'
import { servicesIn } from '../src/tree.ts'
import { temporaryTree } from './support.ts'

const repository = join(import.meta.dirname, '../../..')
const dimLamp = { id: 'dimLamp', method: 'POST', path: '/lamps/{id}/dim', statuses: ['202', 'default'] }
const service = `import { createContext, type LampsContext } from './state.ts'

export function createService(context: LampsContext) {
  return {
    handlers: {
      ...lampHandlers(context),
    },
  }
}
`
const walk = `import { steps } from './steps.ts'

export function lampsWalk() {
  return {
    walk: {
      steps: steps(emulator),
    },
  }
}
`
const lamps = () =>
  temporaryTree({
    'packages/emulator/src/lamps/service.ts': service,
    'packages/lamps/contract/walk.ts': walk,
  })

describe('a new operation', () => {
  it('adds a handler for a new operation that responds with 501, and the line that registers it', () => {
    using tree = lamps()
    const edits = new Map(stubsFor(tree.root, 'lamps', dimLamp).map(({ file, text }) => [file, text]))
    const handler = edits.get('packages/emulator/src/lamps/handlers/dim-lamp.ts')
    expect(handler).toContain('jsonReply(501')
    expect(handler).toContain('Write it in packages/emulator/src/lamps/handlers/dim-lamp.ts.')
    expect(edits.get('packages/emulator/src/lamps/service.ts')).toBe(
      service
        .replace(
          "from './state.ts'\n",
          "from './state.ts'\nimport { dimLampHandlers } from './handlers/dim-lamp.ts'\n",
        )
        .replace(
          '      ...lampHandlers(context),\n',
          '      ...lampHandlers(context),\n      ...dimLampHandlers(context),\n',
        ),
    )
  })

  it('adds a failing step for each documented status of a new operation, and the line that adds them to the walk', () => {
    using tree = lamps()
    const edits = new Map(stubsFor(tree.root, 'lamps', dimLamp).map(({ file, text }) => [file, text]))
    const steps = edits.get('packages/lamps/contract/dim-lamp.ts')
    expect(steps).toContain("step('dimLamp', '202', 'what this step tests', notWritten('202'))")
    expect(steps).toContain("step('dimLamp', 'default', 'what this step tests', notWritten('default'))")
    expect(steps).toContain('Write this step in packages/lamps/contract/dim-lamp.ts.')
    expect(edits.get('packages/lamps/contract/walk.ts')).toContain(
      '      steps: [...steps(emulator), ...dimLampSteps],\n',
    )
  })

  it('writes no stub for an operation if hand-written code uses it or its file exists', () => {
    using tree = lamps()
    writeEdits(tree.root, stubsFor(tree.root, 'lamps', dimLamp))
    expect(stubsFor(tree.root, 'lamps', dimLamp)).toEqual([])
    using other = lamps()
    other.add('packages/emulator/src/lamps/handlers/dim-lamp.ts', '// mine\n')
    other.add('packages/lamps/contract/dim-lamp.ts', '// mine\n')
    expect(stubsFor(other.root, 'lamps', dimLamp)).toEqual([])
  })

  it('writes no stub into files of an unknown form', () => {
    using tree = lamps()
    tree.add('packages/emulator/src/lamps/service.ts', 'export const handlers = lampHandlers\n')
    tree.add('packages/lamps/contract/walk.ts', 'export const walk = steps\n')
    expect(stubsFor(tree.root, 'lamps', dimLamp)).toEqual([])
  })

  it('adds the stub of a second operation next to the first one', () => {
    using tree = lamps()
    writeEdits(tree.root, stubsFor(tree.root, 'lamps', dimLamp))
    writeEdits(tree.root, stubsFor(tree.root, 'lamps', { ...dimLamp, id: 'mendLamp' }))
    const read = (file: string) => readFileSync(join(tree.root, file), 'utf8')
    expect(read('packages/lamps/contract/walk.ts')).toContain(
      'steps: [...steps(emulator), ...dimLampSteps, ...mendLampSteps],',
    )
    expect(read('packages/emulator/src/lamps/service.ts')).toContain('...mendLampHandlers(context),\n    },')
    expect(existsSync(join(tree.root, 'packages/lamps/contract/mend-lamp.ts'))).toBe(true)
  })
})

it.each(servicesIn(repository).map(({ name }) => name))(
  'writes a handler and steps for a new operation of %s, in separate files',
  (name) => {
    const edits = stubsFor(repository, name, dimLamp)
    // They are walked over HTTP, not over a socket.
    expect(edits.at(-1)?.text).toMatch(/^ +steps: \[(?!.*socketSteps).*\.\.\.dimLampSteps\],$/m)
    expect(edits.map(({ file }) => file)).toEqual([
      `packages/emulator/src/${name}/handlers/dim-lamp.ts`,
      `packages/emulator/src/${name}/service.ts`,
      `packages/${name}/contract/dim-lamp.ts`,
      `packages/${name}/contract/walk.ts`,
    ])
  },
)

it('names the files of stubs after their operation', () => {
  expect(kebabCase('retryTask')).toBe('retry-task')
})
