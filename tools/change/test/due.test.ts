import { createHash } from 'node:crypto'

import { expect, it } from 'vitest'

import { dueServices, remember } from '../src/due.ts'
import { servicesIn } from '../src/tree.ts'
import { temporaryTree } from './support.ts'

const contract = 'openapi: 3.1.0\n'
const digest = createHash('sha256').update(contract).update('\0').digest('hex')
const generated = (name: string) => ({
  [`specs/${name}/openapi.yaml`]: contract,
  [`packages/${name}/src/gen/spec.gen.ts`]: `export const spec = { files: '${digest}' }\n`,
})
const twoServices = () => temporaryTree({ ...generated('lamps'), ...generated('shades') })
const namesOf = (root: string, asked: readonly string[] = []) =>
  dueServices(root, servicesIn(root), asked).map(({ service, why }) => `${service.name} ${why}`)

it('checks no service if the generated code matches the contracts', () => {
  using tree = twoServices()
  expect(namesOf(tree.root)).toEqual([])
})

it('checks only the service whose contract was edited', () => {
  using tree = twoServices()
  tree.add('specs/lamps/openapi.yaml', `${contract}info: {}\n`)
  expect(namesOf(tree.root)).toEqual(['lamps its contract was edited'])
})

it('checks a service that has a new AsyncAPI document', () => {
  using tree = twoServices()
  tree.add('specs/shades/asyncapi.yaml', 'asyncapi: 3.0.0\n')
  expect(namesOf(tree.root)).toEqual(['shades its contract was edited'])
})

it('checks a service again until its run succeeds', () => {
  using tree = twoServices()
  const [lamps] = servicesIn(tree.root)
  remember(tree.root, lamps ? [lamps] : [], false)
  expect(namesOf(tree.root)).toEqual(['lamps the last run failed'])
  remember(tree.root, lamps ? [lamps] : [], true)
  expect(namesOf(tree.root)).toEqual([])
})

it('checks a service again if its handler was edited after a successful run', () => {
  using tree = twoServices()
  remember(tree.root, servicesIn(tree.root), true)
  tree.add('packages/emulator/src/shades/service.ts', 'export {}\n')
  expect(namesOf(tree.root)).toEqual(['shades its files have changed since the last run'])
})

it('checks only the requested service, even if another one was edited', () => {
  using tree = twoServices()
  tree.add('specs/lamps/openapi.yaml', `${contract}info: {}\n`)
  expect(namesOf(tree.root, ['shades'])).toEqual(['shades was requested'])
})
