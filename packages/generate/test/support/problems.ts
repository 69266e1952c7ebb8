import { readService } from '../../src/normalize/service.ts'
import { GenerationError, type Problem } from '../../src/problems.ts'
import type { Source } from '../../src/read/source.ts'
import { modelOf } from './generated.ts'

/** The reasons why no code can be generated from a document, or an empty list. */
export async function problemsOf(source: Source, events?: Source): Promise<readonly Problem[]> {
  try {
    await readService(source, events)
    return []
  } catch (error) {
    if (error instanceof GenerationError) return error.problems
    throw error
  }
}

/** The effects and pointers of all departures from a document. */
export async function effectsOf(source: Source): Promise<readonly string[]> {
  try {
    const { departures } = await modelOf(source)
    return departures.map(({ effect, place }) => `${effect} ${place.pointer}`)
  } catch (error) {
    if (!(error instanceof GenerationError)) throw error
    return error.problems.map(({ place }) => `rejected ${place.pointer}`)
  }
}
