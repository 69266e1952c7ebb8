import { GenerationError, type Problem } from '../problems.ts'
import { type Json, type JsonObject, asList, isList, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import type { Source } from '../read/source.ts'
import { didYouMean } from '../words/closest.ts'
import type { Origin } from './origins.ts'

/** One validated action of an overlay. */
export interface Action {
  readonly target: string
  readonly remove: boolean
  readonly update: Json | undefined
  readonly copy: string | undefined
  readonly originOfUpdate: Origin
  /** Creates a problem report for this action. `member` is the member that causes the problem, such as `target`. */
  problem(reason: string, member: string): Problem
  error(reason: string, member: string): GenerationError
}

const MEMBERS = ['target', 'description', 'update', 'remove', 'copy']

/** @throws GenerationError with every place where the overlay breaks the Overlay Specification 1.0 or 1.1 */
export function readActions(overlay: Source): readonly Action[] {
  const { overlay: version, actions } = overlay.value
  const problems: Problem[] = []
  const report = (pointer: string, reason: string) => problems.push({ place: overlay.place(pointer), reason })
  if (typeof version !== 'string' || !/^1\.[01]\.\d+$/.test(version))
    report(
      '#/overlay',
      'only overlays of version 1.0 and 1.1 are read; this document needs `overlay: 1.0.0` or `overlay: 1.1.0`',
    )
  unknown(overlay.value, ['overlay', 'info', 'extends', 'actions'], '#', report)
  if (!isList(actions) || actions.length === 0)
    report('#/actions', '`actions` must be a list with at least one item')
  const read = asList(actions).flatMap((raw, index): Action[] => {
    const pointer = `#/actions/${index}`
    if (!isObject(raw) || typeof raw['target'] !== 'string') {
      report(pointer, 'an action needs a `target`, which is a JSONPath')
      return []
    }
    unknown(raw, MEMBERS, pointer, report)
    const { target, update, remove = false, copy } = raw
    if (typeof remove !== 'boolean') report(`${pointer}/remove`, '`remove` must be true or false')
    if (copy !== undefined && typeof copy !== 'string') report(`${pointer}/copy`, '`copy` must be a JSONPath')
    if (copy !== undefined && String(version).startsWith('1.0'))
      report(`${pointer}/copy`, '`copy` requires version 1.1; write `overlay: 1.1.0`')
    if (remove !== true && update === undefined && copy === undefined)
      report(pointer, 'an action needs `update`, `copy` or `remove: true`')
    if (update !== undefined && copy !== undefined)
      report(pointer, "`update` and `copy` can't be used together")
    const problem = (reason: string, member: string): Problem => {
      const at = member in raw ? member : 'copy' in raw ? 'copy' : 'target'
      return { place: overlay.place(childPointer(pointer, at)), reason }
    }
    return [
      {
        target,
        remove: remove === true,
        update,
        copy: typeof copy === 'string' ? copy : undefined,
        originOfUpdate: { source: overlay, pointer: `${pointer}/update` },
        problem,
        error: (reason, member) => new GenerationError([problem(reason, member)]),
      },
    ]
  })
  if (problems.length > 0) throw new GenerationError(problems)
  return read
}

function unknown(
  value: JsonObject,
  known: readonly string[],
  pointer: string,
  report: (pointer: string, reason: string) => void,
): void {
  for (const name of Object.keys(value))
    if (!known.includes(name) && !name.startsWith('x-'))
      report(
        childPointer(pointer, name),
        `\`${name}\` isn't a valid member${didYouMean(name, known) || `; valid members: ${known.map((each) => `\`${each}\``).join(', ')}`}`,
      )
}
