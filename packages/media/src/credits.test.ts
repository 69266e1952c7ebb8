import { describe, expect, it } from 'vitest'

import {
  addCredits,
  estimateCredits,
  estimateLoosely,
  type CreditBasis,
  type CreditEstimate,
} from './credits.ts'
import { models } from './gen/models.gen.ts'

describe('an estimate', () => {
  it.each<[CreditBasis, CreditEstimate]>([
    [
      { model: 'gen4.5', duration: 5 },
      { min: 60, max: 60 },
    ],
    [
      { model: 'gen4_turbo', duration: 10 },
      { min: 50, max: 50 },
    ],
    [
      { model: 'gen4_aleph', duration: 2 },
      { min: 30, max: 30 },
    ],
    [
      { model: 'act_two', seconds: 4 },
      { min: 20, max: 20 },
    ],
    [
      { model: 'partner3', duration: 8 },
      { min: 320, max: 320 },
    ],
    [
      { model: 'partner3.1', duration: 5 },
      { min: 100, max: 200 },
    ],
    [
      { model: 'partner3.1_fast', duration: 5 },
      { min: 50, max: 75 },
    ],
    [{ model: 'gen4_image' }, { min: 5, max: 8 }],
    [
      { model: 'gen4_image', price: '720p' },
      { min: 5, max: 5 },
    ],
    [
      { model: 'gen4_image', price: '1080p' },
      { min: 8, max: 8 },
    ],
    [{ model: 'gen4_image_turbo' }, { min: 2, max: 2 }],
    [{ model: 'partner_2.5_flash' }, { min: 5, max: 5 }],
    [
      { model: 'audio_multilingual_v2', characters: 100 },
      { min: 2, max: 2 },
    ],
    [{ model: 'audio_text_to_sound_v2' }, { min: 1, max: 2 }],
    [
      { model: 'audio_voice_isolation', seconds: 12 },
      { min: 2, max: 2 },
    ],
    [
      { model: 'audio_voice_dubbing', seconds: 12 },
      { min: 6, max: 6 },
    ],
    [
      { model: 'audio_multilingual_sts_v2', seconds: 12 },
      { min: 4, max: 4 },
    ],
  ])('for %j is %j', (basis, estimate) => {
    expect(estimateCredits(basis)).toEqual(estimate)
  })

  it('ranges from rounding down to rounding up, since the rounding is not documented', () => {
    expect(estimateCredits({ model: 'audio_multilingual_v2', characters: 51 })).toEqual({ min: 1, max: 2 })
    expect(estimateCredits({ model: 'audio_voice_isolation', seconds: 1 })).toEqual({ min: 0, max: 1 })
    expect(estimateCredits({ model: 'audio_voice_isolation', seconds: 0 })).toEqual({ min: 0, max: 0 })
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
  ])('is unknown for %s', (_, basis) => {
    expect(estimateCredits(basis as CreditBasis)).toBe('unknown')
  })

  it.each([undefined, null, 'gen4.5'])('rejects %j', (basis) => {
    expect(() => estimateCredits(basis as never)).toThrow(/`basis`/)
  })

  it('is known for every model in the table if its amount is known', () => {
    for (const model of Object.keys(models))
      expect(estimateLoosely({ model, seconds: 6, characters: 50 }), model).toMatchObject({
        min: expect.any(Number),
      })
  })

  it('adds up several generations, and is unknown if one is unknown', () => {
    expect(addCredits({ min: 1, max: 2 }, { min: 3, max: 3 })).toEqual({ min: 4, max: 5 })
    expect(addCredits({ min: 1, max: 2 }, 'unknown')).toBe('unknown')
  })
})
