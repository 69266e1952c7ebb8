import { describe, expect, it } from 'vitest'

import { estimateCredits, estimateLoosely, type CreditBasis } from './credits.ts'
import { models } from './gen/models.gen.ts'

describe('an estimate', () => {
  it.each<[CreditBasis, min: number, max: number]>([
    [{ model: 'gen4.5', duration: 5 }, 60, 60],
    [{ model: 'gen4_turbo', duration: 10 }, 50, 50],
    [{ model: 'gen4_aleph', duration: 2 }, 30, 30],
    [{ model: 'act_two', seconds: 4 }, 20, 20],
    [{ model: 'partner3', duration: 8 }, 320, 320],
    [{ model: 'partner3.1', duration: 5 }, 100, 200],
    [{ model: 'partner3.1_fast', duration: 5 }, 50, 75],
    [{ model: 'gen4_image' }, 5, 8],
    [{ model: 'gen4_image', price: '720p' }, 5, 5],
    [{ model: 'gen4_image', price: '1080p' }, 8, 8],
    [{ model: 'gen4_image_turbo' }, 2, 2],
    [{ model: 'partner_2.5_flash' }, 5, 5],
    [{ model: 'audio_multilingual_v2', characters: 100 }, 2, 2],
    [{ model: 'audio_text_to_sound_v2' }, 1, 2],
    [{ model: 'audio_voice_isolation', seconds: 12 }, 2, 2],
    [{ model: 'audio_voice_dubbing', seconds: 12 }, 6, 6],
    [{ model: 'audio_multilingual_sts_v2', seconds: 12 }, 4, 4],
    // The rounding is not documented, so these range from rounding down to rounding up.
    [{ model: 'audio_multilingual_v2', characters: 51 }, 1, 2],
    [{ model: 'audio_voice_isolation', seconds: 1 }, 0, 1],
    [{ model: 'audio_voice_isolation', seconds: 0 }, 0, 0],
  ])('the estimate for %j is from %i to %i credits', (basis, min, max) => {
    expect(estimateCredits(basis)).toEqual({ min, max })
  })

  it.each<[string, object]>([
    ['a model that is not in the table', { model: 'gen5', duration: 5 }],
    ['a real-time session, which has no cost in the table', { model: 'gwm1_avatars', seconds: 60 }],
    ['a model that is marked as unlisted', { model: { unlistedModel: 'gen4.5' }, duration: 5 }],
    ['a name that every object has', { model: 'constructor' }],
    ['a video without a duration, whose default is not documented', { model: 'gen4.5' }],
    ['a string without its length', { model: 'audio_multilingual_v2' }],
    ['a negative length', { model: 'gen4.5', duration: -1 }],
    ['a length in words', { model: 'gen4.5', duration: '5' }],
    ['no model', { duration: 5 }],
    ['an infinite length', { model: 'gen4.5', duration: Infinity }],
    ['a price that the model does not have', { model: 'gen4_image', price: '4k' }],
  ])('the estimate is unknown for %s', (_, basis) => {
    expect(estimateCredits(basis as CreditBasis)).toBe('unknown')
  })

  it.each([undefined, null, 'gen4.5'])('estimateCredits rejects %j', (basis) => {
    expect(() => estimateCredits(basis as never)).toThrow(/`basis`/)
  })

  it('the estimate is known for every model in the table if its amount is known', () => {
    for (const model of Object.keys(models))
      expect(estimateLoosely({ model, seconds: 6, characters: 50 }), model).toMatchObject({
        min: expect.any(Number),
      })
  })
})
