import { join } from 'node:path'

import { copyPredicates, predicatesIn } from '../emit/copy-predicates.ts'
import { QuickChecks } from '../emit/quick-checks.ts'
import type { PlainSchema } from '../normalize/rules.ts'
import { inFolder } from './scratch.ts'

/** Quick checks (which don't use zod), by type name. */
export type QuickTests = Readonly<Record<string, (value: unknown) => boolean>>

/** Generates quick checks for `types`, and loads the checks. Types without a quick check are left out. */
export function loadQuick(
  schemas: ReadonlyMap<string, PlainSchema>,
  types: Iterable<string>,
): Promise<QuickTests> {
  const quick = new QuickChecks(schemas)
  const names = [...types].flatMap((type) => {
    const name = quick.of(type)
    return name === undefined ? [] : [`  ${type}: ${name},`]
  })
  const functions = quick.print()
  const predicates = copyPredicates(predicatesIn(functions.join('\n')))
  const text = [...functions, ...predicates, `export const tests = {`, ...names, '}'].join('\n')
  return inFolder(new Map([['quick.ts', text]]), async (folder) => {
    const { tests } = (await import(/* @vite-ignore */ join(folder, 'quick.ts'))) as { tests: QuickTests }
    return tests
  })
}
