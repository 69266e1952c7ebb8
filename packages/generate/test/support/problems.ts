import { readService } from '../../src/normalize/service.ts'
import { GenerationError, type Problem } from '../../src/problems.ts'
import type { Source } from '../../src/read/source.ts'
import { modelOf } from './generated.ts'

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

/** The effects of everything in a document that isn't generated as it is there, with the pointers. */
export async function effectsOf(source: Source): Promise<readonly string[]> {
  try {
    const { departures } = await modelOf(source)
    return departures.map(({ effect, place }) => `${effect} ${place.pointer}`)
  } catch (error) {
    if (!(error instanceof GenerationError)) throw error
    return error.problems.map(({ place }) => `refused ${place.pointer}`)
  }
}
