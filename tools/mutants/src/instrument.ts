import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { commonTokens } from '@stryker-mutator/api/plugin'
import { createInstrumenter } from '@stryker-mutator/instrumenter'
import { createInjector } from 'typed-inject'

import { LOADING } from './instrumentation.ts'
import type { PlacedMutant } from './plan.ts'

type Location = Readonly<Record<'start' | 'end', { readonly line: number; readonly column: number }>>

const silent = () => undefined
const logger = {
  isTraceEnabled: () => false,
  isDebugEnabled: () => false,
  isInfoEnabled: () => false,
  isWarnEnabled: () => false,
  isErrorEnabled: () => false,
  isFatalEnabled: () => false,
  trace: silent,
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
  fatal: silent,
}

/** The source files with all mutants inserted. `MutantSwitch` activates one mutant at a time, by its `id`. */
interface Instrumented {
  readonly sources: Readonly<Record<string, string>>
  readonly mutants: readonly PlacedMutant[]
}

export async function instrument(root: string, files: readonly string[]): Promise<Instrumented> {
  const instrumenter = createInjector()
    .provideValue(commonTokens.logger, logger)
    .injectFunction(createInstrumenter)
  const originals = files.map((file) => ({
    name: join(root, file),
    content: readFileSync(join(root, file), 'utf8'),
    mutate: true,
  }))
  const result = await instrumenter.instrument(originals, {
    plugins: null,
    ignorers: [],
    // Don't change strings, such as error messages. To notice a change, a test would have to repeat the string.
    excludedMutations: ['StringLiteral'],
  })
  const lines = new Map(originals.map(({ name, content }) => [name, content.split('\n')]))
  const textAt = (file: string, { start, end }: Location): string => {
    const text = (lines.get(file) ?? []).slice(start.line, end.line + 1)
    text.push((text.pop() ?? '').slice(0, end.column))
    return [text.shift()?.slice(start.column), ...text.map((line) => line.trim())].join('\n')
  }
  const names = new Map(originals.map(({ name }, index) => [name, files[index] ?? name]))
  return {
    sources: Object.fromEntries(
      result.files.map(({ name, content }) => [
        name,
        `globalThis.${LOADING}?.(true);${content}\nglobalThis.${LOADING}?.(false)`,
      ]),
    ),
    mutants: result.mutants
      .filter(({ status }) => status !== 'Ignored')
      .map(({ id, fileName, location, mutatorName, replacement }) => ({
        id,
        file: names.get(fileName) ?? fileName,
        // The instrumenter counts lines and columns from zero.
        line: location.start.line + 1,
        column: location.start.column + 1,
        mutator: mutatorName,
        source: lines.get(fileName)?.[location.start.line]?.trim() ?? '',
        original: textAt(fileName, location),
        replacement,
      })),
  }
}
