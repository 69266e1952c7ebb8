import { posix } from 'node:path'

import type { ServiceModel } from '../normalize/model.ts'
import { Problems } from '../problems.ts'
import type { Service } from '../services.ts'
import { importNames } from './text.ts'

const BEGIN =
  '// Generated from the contract: every operation and channel, and the types of their messages.\n'
const END = '// End of the generated part.\n'

/**
 * Writes the generated section of a client's index file. The section exports everything that the contract defines,
 * except names that the file exports outside the section.
 */
export function withExports(
  index: string,
  model: ServiceModel,
  types: readonly string[],
  service: Service & { readonly index: string },
): string {
  const [before, after] = [index.indexOf(BEGIN), index.indexOf(END)]
  if (before < 0 || after < before) return index
  const taken = exportsOf(index.slice(0, before) + index.slice(after))
  const folder = posix.relative(posix.dirname(service.index), service.client.folder)
  const module = (name: string) =>
    `${folder.startsWith('.') ? '' : './'}${folder === '' ? '' : `${folder}/`}${name}.gen${service.importExtension ?? '.ts'}`
  const free = (all: readonly string[]) => all.filter((name) => !taken.has(name))
  return (
    index.slice(0, before) +
    BEGIN +
    importNames('export', free(model.operations.map(({ id }) => id)), module('operations')) +
    importNames('export', free(model.channels.map(({ id }) => id)), module('channels')) +
    importNames(
      'export type',
      free(componentTypes(model, types)),
      service.validators.packageName ?? module('types'),
    ) +
    index.slice(after)
  )
}

/**
 * Checks that the index of a client exports every operation and channel of the contract.
 *
 * @throws GenerationError that lists the missing exports.
 */
export function checkExports(index: string, file: string, model: ServiceModel): void {
  const exported = exportsOf(index)
  const problems = new Problems()
  for (const { id, pointer, file: contract } of [...model.operations, ...model.channels]) {
    const source = model.sources.find((one) => one.file === contract)
    if (exported.get(id) === 'value' || !source) continue
    problems.add(
      source.place(pointer),
      `${file} doesn't export \`${id}\`: export it, or add the following two lines to the file, ` +
        `and the generator will write the contract's exports between these lines:\n      ${BEGIN}      ${END.trimEnd()}`,
    )
  }
  problems.throwIfAny()
}

/** Reads the names in the export lists (`export { … }`) of a module. */
function exportsOf(text: string): ReadonlyMap<string, 'value' | 'type'> {
  const names = [...text.matchAll(/^export (type )?\{([^}]*)\}/gm)].flatMap(([, type, list = '']) =>
    list.split(',').flatMap((entry) => {
      const [, own, name] = /^\s*(type )?(?:\S+ as )?(\S+)\s*$/.exec(entry) ?? []
      return name === undefined ? [] : [[name, type || own ? 'type' : 'value'] as const]
    }),
  )
  return new Map(names)
}

/** Leaves out types that are named after an operation or a channel, such as `GetJobInput`. */
function componentTypes(model: ServiceModel, types: readonly string[]): readonly string[] {
  const owners = [...model.operations.map(({ id }) => id), ...model.channels.map(({ id }) => id)]
  const made = new Set(
    owners.flatMap((id) => {
      const owner = id.charAt(0).toUpperCase() + id.slice(1)
      return ['Input', 'Output', 'Error', 'Query', 'ClientMessage', 'ServerMessage'].map(
        (part) => owner + part,
      )
    }),
  )
  return types.filter((name) => !made.has(name) && !/Response\d{3}$/.test(name))
}
