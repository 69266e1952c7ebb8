import { readService } from '../../src/normalize/service.ts'
import { GenerationError, type Problem } from '../../src/problems.ts'
import type { Source } from '../../src/read/source.ts'

/** Why a document cannot be generated from; empty when it can. */
export async function problemsOf(source: Source, events?: Source): Promise<readonly Problem[]> {
  try {
    await readService(source, events)
    return []
  } catch (error) {
    if (error instanceof GenerationError) return error.problems
    throw error
  }
}
