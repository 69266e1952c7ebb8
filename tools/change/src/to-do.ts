import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { type ContractNames, type NameChanges, type Operation } from './contract-diff.ts'
import { STUB, isNamedIn, wordOf } from './stubs.ts'
import { type Service, filesIn } from './tree.ts'

/** Something that a person has to write or review. */
export interface ToDo {
  readonly file: string
  readonly line?: number
  readonly what: string
  /** Whether the change is incomplete until this is done. */
  readonly isRequired: boolean
}

export function toDoList(
  root: string,
  service: Service,
  names: ContractNames,
  changes: NameChanges,
): readonly ToDo[] {
  return [
    ...leftStubs(root, service),
    ...missingCode(root, service, names.operations),
    ...staleNames(root, service, changes),
    ...staleSentences(root, service, names, changes),
    ...silentEmulator(root, service, changes),
    ...newDenials(root, service, changes),
    ...missingFlows(root, service, changes.added),
  ]
}

/** Returns the hand-written files of a service, and all examples. */
function codeOf(root: string, { name }: Service): readonly string[] {
  const folders = [
    `packages/${name}/src`,
    `packages/${name}/contract`,
    `packages/${name}/test`,
    `packages/emulator/src/${name}`,
    `packages/emulator/test/${name}`,
    'examples',
  ]
  const own = folders.flatMap((folder) => filesIn(root, folder))
  const tests = filesIn(root, 'specs/test').filter((file) => file.startsWith(`specs/test/${name}`))
  return [...own, ...tests].filter((file) => file.endsWith('.ts') && !file.endsWith('.gen.ts'))
}

function leftStubs(root: string, service: Service): ToDo[] {
  return codeOf(root, service).flatMap((file) =>
    placesOf(root, file, STUB).map((line) => ({
      file,
      line,
      what: file.startsWith('packages/emulator/')
        ? 'write the behavior of this operation; until then, the emulator responds with 501'
        : 'write the missing steps; until then, the contract test fails',
      isRequired: true,
    })),
  )
}

/** Lists operations for which no stub could be written, because the service's files have an unexpected structure. */
function missingCode(root: string, { name }: Service, operations: readonly Operation[]): ToDo[] {
  const [emulator, walk] = [`packages/emulator/src/${name}`, `packages/${name}/contract`]
  const lacks = (folder: string, id: string): boolean =>
    existsSync(join(root, folder)) && !isNamedIn(root, folder, id)
  return operations.flatMap(({ id, statuses }) => {
    const handler = `add a handler of \`${id}\` to a file of this folder; until then, the emulator doesn't start`
    const steps = `add a step of \`${id}\` for each status: ${statuses.join(', ')}`
    return [
      ...(lacks(emulator, id) ? [{ file: `${emulator}/handlers`, what: handler, isRequired: true }] : []),
      ...(lacks(walk, id) ? [{ file: `${walk}/walk.ts`, what: steps, isRequired: true }] : []),
    ]
  })
}

/** Lists code that uses names removed from the contract. */
function staleNames(root: string, service: Service, { removed, renamed, removedNames }: NameChanges): ToDo[] {
  const operations = [
    ...removed.map(({ id }) => ({
      id,
      what: `\`${id}\` is no longer an operation of the contract; remove it here`,
    })),
    ...renamed.map(({ from, to }) => ({ id: from, what: `\`${from}\` is now \`${to.id}\`; rename it here` })),
  ]
  const names = removedNames.map(({ schema, name, kind }) => ({
    id: name,
    what: `mentions \`${name}\`, but the schema ${schema} no longer has this ${kind}`,
  }))
  const files = codeOf(root, service)
  const places = (list: readonly { id: string; what: string }[], isRequired: boolean) =>
    list.flatMap(({ id, what }) =>
      files.flatMap((file) => {
        const [line] = placesOf(root, file, wordOf(id))
        return line === undefined ? [] : [{ file, line, what, isRequired }]
      }),
    )
  return [...places(operations, true), ...places(names, false)]
}

/** Lists the sentences in `x-not-shown` about properties that the contract now describes. */
function staleSentences(
  root: string,
  service: Service,
  { open }: ContractNames,
  { addedNames }: NameChanges,
): ToDo[] {
  return addedNames.flatMap(({ schema, name, kind }) => {
    const word = wordOf(name)
    const sentence = kind === 'property' ? open.get(schema)?.find((one) => word.test(one)) : undefined
    if (sentence === undefined) return []
    const [line] = placesOf(root, service.openapi, sentence.slice(0, 40))
    return [
      {
        file: service.openapi,
        ...(line === undefined ? {} : { line }),
        what: `\`${name}\` is documented now, but \`x-not-shown\` of ${schema} still says: "${sentence}"`,
        isRequired: false,
      },
    ]
  })
}

function silentEmulator(root: string, { name: service }: Service, { addedNames }: NameChanges): ToDo[] {
  const folder = `packages/emulator/src/${service}`
  if (!existsSync(join(root, folder))) return []
  return addedNames
    .filter(({ name }) => !isNamedIn(root, folder, name))
    .map(({ schema, name, kind }) => ({
      file: folder,
      what:
        kind === 'property'
          ? `no code here sends or reads \`${name}\` of ${schema}`
          : `no code here uses the value \`${name}\` of ${schema}`,
      isRequired: false,
    }))
}

function newDenials(root: string, { name: service }: Service, { addedStatuses }: NameChanges): ToDo[] {
  const folder = `packages/emulator/src/${service}`
  if (!existsSync(join(root, folder))) return []
  return addedStatuses.map(({ id, statuses }) => ({
    file: folder,
    what: `the emulator must be able to return ${statuses.join(', ')} for \`${id}\`: add a denial to denials.ts, or change the handler`,
    isRequired: false,
  }))
}

function missingFlows(root: string, { name }: Service, added: readonly Operation[]): ToDo[] {
  const folder = `packages/${name}/src`
  return added
    .filter(({ id }) => !filesIn(root, folder).some((file) => !isGeneratedPart(root, file, id)))
    .flatMap(({ id }) => [
      {
        file: folder,
        what: `\`api.${id}\` already exists; if users combine this call with others, add a flow: a method that makes all these calls`,
        isRequired: false,
      },
      { file: 'examples', what: `add an example of \`${id}\` if users need one`, isRequired: false },
    ])
}

/** Returns whether a file is generated, is an `index.ts` (which only exports), or doesn't mention operation `id`. */
function isGeneratedPart(root: string, file: string, id: string): boolean {
  return file.endsWith('.gen.ts') || file.endsWith('/index.ts') || placesOf(root, file, id).length === 0
}

/** Returns the line numbers at which a file contains a string or matches a pattern. */
function placesOf(root: string, file: string, text: string | RegExp): number[] {
  const lines = readFileSync(join(root, file), 'utf8').split('\n')
  return lines.flatMap((line, index) =>
    (typeof text === 'string' ? line.includes(text) : text.test(line)) ? [index + 1] : [],
  )
}
