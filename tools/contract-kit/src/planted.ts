import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import {
  loadSpec,
  startContractMock,
  tryMistakes,
  type FindingCode,
  type MistakeResult,
  type PlantedMistake,
} from '@concord/contract'

import { changedCopy, type TextChange } from './changed-copy.ts'
import type { GeneratedCode } from './generated-code.ts'
import { operationMistakes } from './operation-mistakes.ts'
import { writeReport } from './reports.ts'
import { clientSubject, type TestedPackage } from './subject.ts'

/** Defines tests with planted mistakes. */
export interface Planter {
  /**
   * Expects the contract tests to report the finding `expected` for the code that `plant` returns. `about` is the
   * operation or schema with the mistake. To save time, its contract tests run first.
   */
  expectCaught(
    kind: string,
    expected: FindingCode,
    plant: () => GeneratedCode | Promise<GeneratedCode>,
    about?: string,
  ): Promise<void>
  /** Adds a result to the report. */
  note(result: MistakeResult | undefined): void
  /** Plants each mistake of `operationMistakes`, and tests that the mistake is caught. */
  inDescriptors(): void
  /** Plants mistakes in the text of generated files, and tests that each mistake is caught. */
  inSources(mistakes: readonly SourceMistake[]): void
  /** Tests that nothing is reported for the unchanged code. */
  reportsNothing(): void
}

export type SourceMistake = readonly [kind: string, expected: FindingCode, change: TextChange]

/** Returns a change within one schema of `schemas.gen.ts`. */
export function inSchema(name: string, from: string, to: string): TextChange {
  return {
    file: 'schemas.gen.ts',
    from: new RegExp(`(export const ${name} = [^]*?)${literally(from)}`),
    to: `$1${to}`,
    about: name.charAt(0).toUpperCase() + name.slice(1),
  }
}

/** Returns a change within one quick check of the client's `checks.gen.ts`. */
export function inCheck(type: string, from: string, to: string): TextChange {
  return {
    file: 'checks.gen.ts',
    from: new RegExp(`(function accepts${type}\\((?:(?!\n})[^])*?)${literally(from)}`),
    to: `$1${to}`,
    about: type,
  }
}

function literally(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}

/**
 * Returns functions that test the contract tests of a package. These functions plant mistakes in the generated code,
 * and expect the contract tests to find the mistakes. Call `plantMistakes` once in a test file.
 */
export async function plantMistakes(tested: TestedPackage): Promise<Planter> {
  const { service, generated } = tested
  const spec = await loadSpec(service)
  let prism: Awaited<ReturnType<typeof startContractMock>>
  const results: MistakeResult[] = []
  beforeAll(async () => {
    prism = await startContractMock(spec)
  })
  afterAll(async () => {
    await prism.close()
    await writeReport(service, 'planted-mistakes.json', JSON.stringify(results, null, 2))
  })

  const note: Planter['note'] = (result) => {
    if (result) results.push(result)
  }
  const attempt = async (mistake: Omit<PlantedMistake, 'plant'>, code: GeneratedCode) => {
    const mistakes = [{ ...mistake, plant: () => clientSubject(tested, code) }]
    const [result] = await tryMistakes({ spec, prism, mistakes })
    return result
  }
  const expectCaught: Planter['expectCaught'] = async (kind, expected, plant, about) => {
    const mistake = { kind, expect: expected, ...(about !== undefined && { about }) }
    const result = await attempt(mistake, await plant())
    note(result)
    expect(result).toMatchObject({ caught: true, reason: { code: expected } })
  }
  return {
    expectCaught,
    note,
    inDescriptors() {
      describe('the mistakes that every descriptor can have', () => {
        // `it.each` would shorten long names.
        for (const { kind, expect: expected, about, code } of operationMistakes(generated)) {
          it(`${kind}: found as [${expected}]`, () => expectCaught(kind, expected, () => code, about))
        }
      })
    },
    inSources(mistakes) {
      describe('mistakes in the generated sources', () => {
        for (const [kind, expected, change] of mistakes) {
          it(`${kind}: found as [${expected}]`, () =>
            expectCaught(kind, expected, () => changedCopy(service, change), change.about))
        }
      })
    },
    reportsNothing() {
      it('nothing is reported for the unchanged code', async () => {
        const mistake = { kind: 'none', expect: 'path' } as const
        expect(await attempt(mistake, generated)).toEqual({ ...mistake, caught: false })
      })
    },
  }
}
