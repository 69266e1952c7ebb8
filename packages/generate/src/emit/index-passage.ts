import { posix } from 'node:path'

import type { ServiceModel } from '../normalize/model.ts'
import { Problems } from '../problems.ts'
import type { Service } from '../services.ts'
import { importNames } from './text.ts'

/** The lines that begin and end the section of a client's index that {@link withExports} writes. */
const BEGIN =
  '// Generated from the contract: every operation and channel, and the types of their messages.\n'
const END = '// End of the generated part.\n'

/**
 * Writes a section of a client's index: the exports of everything that the contract defines, except for names that
 * the index already exports outside the section.
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
 * @throws GenerationError naming the missing exports.
 */
export function checkExports(index: string, file: string, model: ServiceModel): void {
  const exported = exportsOf(index)
  const problems = new Problems()
  for (const { id, pointer, file: contract } of [...model.operations, ...model.channels]) {
    const source = model.sources.find((one) => one.file === contract)
    if (exported.get(id) === 'value' || !source) continue
    problems.add(
      source.place(pointer),
      `${file} doesn't export \`${id}\`: export it there, or add the following two lines there, ` +
        `and the generator will write the contract's exports between these lines:\n      ${BEGIN}      ${END.trimEnd()}`,
    )
  }
  problems.throwIfAny()
}

/** The names in the export lists of a module, and whether they are exported as values or only as types. */
function exportsOf(text: string): ReadonlyMap<string, 'value' | 'type'> {
  const names = [...text.matchAll(/^export (type )?\{([^}]*)\}/gm)].flatMap(([, type, list = '']) =>
    list.split(',').flatMap((entry) => {
      const [, own, name] = /^\s*(type )?(?:\S+ as )?(\S+)\s*$/.exec(entry) ?? []
      return name === undefined ? [] : [[name, type || own ? 'type' : 'value'] as const]
    }),
  )
  return new Map(names)
}

/** The types that have a name in the contract. Excludes types that get their names from an operation or a channel. */
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
