import { expect, it } from 'vitest'

import { compareNames, namesOf } from '../src/contract-diff.ts'
import { statusStub, stubsFor, writeEdits } from '../src/stubs.ts'
import { toDoList } from '../src/to-do.ts'
import { servicesIn } from '../src/tree.ts'
import { temporaryTree } from './support.ts'

const before = `paths:
  /lamps: { get: { operationId: listLamps, responses: { '200': {} } } }
components:
  schemas:
    Lamp: { type: object, x-not-shown: ['Other fields, such as a color.'], properties: { id: {}, watts: {} } }
`
const files = {
  'specs/lamps/openapi.yaml': before,
  'packages/emulator/src/lamps/service.ts': `import { type LampsContext } from './state.ts'
export const service = {
    handlers: { ...lampHandlers(context) },
}
`,
  'packages/emulator/src/lamps/handlers/lamps.ts':
    'export const lampHandlers = { listLamps: 1 }\nexport const watts = 1\n',
  'packages/lamps/contract/walk.ts': `import { steps } from './steps.ts'
const listLamps = 1
export const walk = {
      steps: steps(listLamps),
}
`,
  'packages/lamps/src/client.ts': '// the client\nexport const lamps = (api) => api.listLamps()\n',
}

function toDoAfter(edit: (text: string) => string, withStubs = false) {
  using tree = temporaryTree(files)
  const after = edit(before)
  tree.add('specs/lamps/openapi.yaml', after)
  const [service] = servicesIn(tree.root)
  if (!service) throw new Error('the tree has no service')
  const changes = compareNames(namesOf(before), namesOf(after))
  const edits = [
    ...changes.added.flatMap((operation) => stubsFor(tree.root, 'lamps', operation)),
    ...changes.addedStatuses.flatMap((operation) => statusStub(tree.root, 'lamps', operation)),
  ]
  if (withStubs) writeEdits(tree.root, edits)
  return toDoList(tree.root, service, namesOf(after), changes).map(
    ({ file, line, what, isRequired }) =>
      `${isRequired ? 'write' : 'look at'} ${file}${line === undefined ? '' : `:${line}`} ${what}`,
  )
}

it('lists nothing for an unchanged contract', () => {
  expect(toDoAfter((text) => text)).toEqual([])
})

it('lists the emulator for a new property, and the sentence that says it is undocumented', () => {
  expect(toDoAfter((text) => text.replace('watts: {}', 'watts: {}, color: {}'))).toEqual([
    'look at specs/lamps/openapi.yaml:5 `color` is documented now, but `x-not-shown` of Lamp still says: "Other fields, such as a color."',
    'look at packages/emulator/src/lamps no code here sends or reads `color` of Lamp',
  ])
})

it('lists the line that mentions a removed property', () => {
  expect(toDoAfter((text) => text.replace(', watts: {}', ''))).toEqual([
    'look at packages/emulator/src/lamps/handlers/lamps.ts:2 mentions `watts`, but the schema Lamp no longer has this property',
  ])
})

it('lists every file that has the old name of a renamed operation', () => {
  const found = toDoAfter((text) => text.replace('listLamps', 'findLamps'))
  expect(found.filter((line) => line.includes('rename it'))).toEqual([
    'write packages/lamps/src/client.ts:2 `listLamps` is now `findLamps`; rename it here',
    'write packages/lamps/contract/walk.ts:2 `listLamps` is now `findLamps`; rename it here',
    'write packages/emulator/src/lamps/handlers/lamps.ts:1 `listLamps` is now `findLamps`; rename it here',
  ])
})

const adding = (text: string) =>
  text.replace(
    'components:',
    "  /lamps/{id}: { post: { operationId: dimLamp, responses: { '202': {}, '404': {} } } }\ncomponents:",
  )

it('lists the handler and the walk for a new operation without stubs', () => {
  expect(toDoAfter(adding)).toEqual([
    "write packages/emulator/src/lamps/handlers add a handler of `dimLamp` to a file of this folder; until then, the emulator doesn't start",
    'write packages/lamps/contract/walk.ts add a step of `dimLamp` for each status: 202, 404',
    'look at packages/lamps/src `api.dimLamp` already exists; if users combine this call with others, add a flow: a method that makes all these calls',
    'look at examples add an example of `dimLamp` if users need one',
  ])
})

it('lists the stubs of a new operation until their mark is removed', () => {
  expect(toDoAfter(adding, true).filter((line) => line.startsWith('write'))).toEqual([
    'write packages/lamps/contract/dim-lamp.ts:10 write the missing steps; until then, the contract test fails',
    'write packages/emulator/src/lamps/handlers/dim-lamp.ts:4 write the behavior of this operation; until then, the emulator responds with 501',
  ])
})

it('lists the emulator and a stub of its step for a new status of an operation', () => {
  expect(toDoAfter((text) => text.replace("'200': {}", "'200': {}, '404': {}"), true)).toEqual([
    'write packages/lamps/contract/list-lamps-404.ts:10 write the missing steps; until then, the contract test fails',
    'look at packages/emulator/src/lamps the emulator must be able to return 404 for `listLamps`: add a denial to denials.ts, or change the handler',
  ])
})
