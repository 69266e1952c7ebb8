import { describe, expectTypeOf, it } from 'vitest'

import type {
  BatchRequest,
  GenerationName,
  GenerationRequest,
  Media,
  UpdateAvatarRequest,
} from '../src/index.ts'
import { unlistedModel } from '../src/index.ts'
import type { SHOWN_FIELDS, ShownField } from '../src/requests.ts'

// What must not compile is checked by the compiler: an unused @ts-expect-error is an error, too.
// One request each, since of several arguments only the first that does not fit is told.
const accept = <Request>(_request: Request): void => {}

describe('types', () => {
  it('make an image required for gen4_turbo, and for no other model', () => {
    accept<GenerationRequest<'imageToVideo'>>({
      model: 'gen4_turbo',
      promptImage: 'https://assets.example/a.png',
    })
    accept<GenerationRequest<'imageToVideo'>>({ model: 'gen4.5', promptText: 'rain' })
    // @ts-expect-error gen4_turbo needs an image
    accept<GenerationRequest<'imageToVideo'>>({ model: 'gen4_turbo', promptText: 'rain' })
    // @ts-expect-error an image that is undefined is none
    accept<GenerationRequest<'imageToVideo'>>({ model: 'gen4_turbo', promptImage: undefined })
  })

  it('close the models of each endpoint', () => {
    accept<GenerationRequest<'textToVideo'>>({ model: 'partner3.1_fast' })
    // @ts-expect-error it runs on image_to_video only
    accept<GenerationRequest<'textToVideo'>>({ model: 'gen4_turbo', promptImage: 'a' })
    // @ts-expect-error it makes images
    accept<GenerationRequest<'textToVideo'>>({ model: 'gen4_image' })
    // @ts-expect-error there is no such model
    accept<GenerationRequest<'textToVideo'>>({ model: 'gen5' })
    accept<GenerationRequest<'textToImage'>>({ model: 'partner_2.5_flash' })
    accept<GenerationRequest<'textToImage'>>({ model: 'gen4_image' })
    // @ts-expect-error the avatars' model is for sessions
    accept<GenerationRequest<'textToImage'>>({ model: 'gwm1_avatars' })
    // @ts-expect-error a model is required
    accept<GenerationRequest<'soundEffect'>>({})
  })

  it('let a model that is not listed through by its name only', () => {
    accept<GenerationRequest<'textToVideo'>>({ model: unlistedModel('gen6'), promptText: 'rain' })
    // @ts-expect-error a plain text is no escape
    accept<GenerationRequest<'textToVideo'>>({ model: 'gen6' as string })
  })

  it('refuse fields that are misspelt or not documented, which go into fields', () => {
    accept<GenerationRequest<'textToVideo'>>({ model: 'gen4.5', fields: { seed: 4 } })
    // @ts-expect-error misspelt
    accept<GenerationRequest<'textToVideo'>>({ model: 'gen4.5', promtText: 'rain' })
  })

  it('know the fields and the options that are checked while running', () => {
    type Shown = typeof SHOWN_FIELDS
    type Missing = {
      [Name in GenerationName]: Exclude<ShownField<Name>, Shown[Name][number]>
    }[GenerationName]
    expectTypeOf<Missing>().toBeNever()
  })

  it('tie the request of a batch to its operation', () => {
    accept<BatchRequest>({ operation: 'textToImage', request: { model: 'gen4_image' } })
    // @ts-expect-error a model of another endpoint
    accept<BatchRequest>({ operation: 'textToImage', request: { model: 'gen4.5' } })
  })

  it('do not let an update change the reference image', () => {
    // @ts-expect-error it is not among the fields that can be changed
    accept<UpdateAvatarRequest>({ referenceImage: 'https://assets.example/a.png' })
    accept<UpdateAvatarRequest>({ voice: { type: 'live-preset', presetId: 'a voice of tomorrow' } })
  })

  it('give tasks with their output', () => {
    type Task = Awaited<ReturnType<Awaited<ReturnType<Media['textToVideo']>>['wait']>>
    expectTypeOf<Task['output']>().toEqualTypeOf<readonly string[]>()
    expectTypeOf<Task['status']>().toEqualTypeOf<'SUCCEEDED'>()
  })
})
