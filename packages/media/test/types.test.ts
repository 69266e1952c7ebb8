import { describe, expectTypeOf, it } from 'vitest'

import type {
  AvatarChanges,
  BatchRequest,
  CreditBasis,
  GenerationName,
  GenerationRequest,
  Media,
  NewAvatar,
  SessionHandle,
  TaskHandle,
  TextToVideoRequest,
} from '../src/index.ts'
import { image, unlistedModel, video } from '../src/index.ts'
import type { SHOWN_FIELDS } from '../src/preparation.ts'
import type { ShownField } from '../src/requests.ts'

// The compiler checks that invalid code fails: an unused @ts-expect-error is an error too.
// One request each, since the compiler reports only the first of several invalid arguments.
const accept = <Request>(_request: Request): void => {}

type ImageToVideo = GenerationRequest<'imageToVideo'>
type VideoToVideo = GenerationRequest<'videoToVideo'>
type TextToVideo = GenerationRequest<'textToVideo'>

describe('types', () => {
  it('the types make an image required for gen4_turbo, and for no other model', () => {
    accept<ImageToVideo>({ model: 'gen4_turbo', promptImage: 'https://assets.example/a.png' })
    accept<ImageToVideo>({ model: 'gen4.5', promptText: 'rain' })
    // @ts-expect-error gen4_turbo needs an image
    accept<ImageToVideo>({ model: 'gen4_turbo', promptText: 'rain' })
    // @ts-expect-error an undefined image doesn't count
    accept<ImageToVideo>({ model: 'gen4_turbo', promptImage: undefined })
  })

  it('the types require the documented input of a model', () => {
    accept<ImageToVideo>({ model: 'gen4.5', promptImage: 'https://assets.example/a.png' })
    // @ts-expect-error neither text nor image
    accept<TextToVideo>({ model: 'gen4.5' })
    // @ts-expect-error undefined text doesn't count
    accept<TextToVideo>({ model: 'partner3', promptText: undefined })
    accept<VideoToVideo>({ model: 'gen4_aleph', promptText: 'a', fields: { clip: video('a') } })
    // @ts-expect-error no video (its field has no documented name)
    accept<VideoToVideo>({ model: 'gen4_aleph', promptText: 'winter' })
    // @ts-expect-error no image and no video
    accept<GenerationRequest<'characterPerformance'>>({ model: 'act_two' })
    // @ts-expect-error nothing to say
    accept<GenerationRequest<'textToSpeech'>>({ model: 'audio_multilingual_v2' })
    accept<GenerationRequest<'textToSpeech'>>({ model: 'audio_multilingual_v2', fields: { words: 'hello' } })
  })

  it('the types take a duration of 2 to 10 whole seconds for a video', () => {
    accept<TextToVideo>({ model: 'gen4.5', promptText: 'rain', duration: 10 })
    // @ts-expect-error too long
    accept<TextToVideo>({ model: 'gen4.5', promptText: 'rain', duration: 99 })
    // @ts-expect-error not whole
    accept<TextToVideo>({ model: 'gen4.5', promptText: 'rain', duration: 2.5 })
  })

  it('the types take an image and nothing else for promptImage', () => {
    const model = 'gen4_turbo'
    accept<ImageToVideo>({ model, promptImage: image('https://a.example/b') })
    // @ts-expect-error a video
    accept<ImageToVideo>({ model, promptImage: video('https://a.example/b') })
  })

  it('the types accept only the listed models of each endpoint', () => {
    accept<TextToVideo>({ model: 'partner3.1_fast', promptText: 'rain' })
    // @ts-expect-error it runs on image_to_video only
    accept<TextToVideo>({ model: 'gen4_turbo', promptImage: 'a' })
    // @ts-expect-error it makes images
    accept<TextToVideo>({ model: 'gen4_image', promptText: 'rain' })
    // @ts-expect-error there is no such model
    accept<TextToVideo>({ model: 'gen5', promptText: 'rain' })
    accept<GenerationRequest<'textToImage'>>({ model: 'partner_2.5_flash' })
    accept<GenerationRequest<'textToImage'>>({ model: 'gen4_image' })
    // @ts-expect-error the avatars' model is for sessions
    accept<GenerationRequest<'textToImage'>>({ model: 'gwm1_avatars' })
    // @ts-expect-error a model is required
    accept<GenerationRequest<'soundEffect'>>({ fields: { words: 'rain' } })
  })

  it('the types allow any model on the wire', () => {
    accept<TextToVideoRequest>({ model: 'gen6', promptText: 'rain' })
    accept<TextToVideoRequest>({ promptText: 'rain' })
  })

  it('the types allow an unlisted model only through unlistedModel', () => {
    accept<TextToVideo>({ model: unlistedModel('gen6'), promptText: 'rain' })
    // @ts-expect-error a plain string doesn't count as unlisted
    accept<TextToVideo>({ model: 'gen6' as string, promptText: 'rain' })
  })

  it('the types reject fields that are misspelled or not documented, which go into fields', () => {
    accept<TextToVideo>({ model: 'gen4.5', promptText: 'rain', fields: { seed: 4 } })
    // @ts-expect-error misspelled
    accept<TextToVideo>({ model: 'gen4.5', promptText: 'rain', ratoi: '1:1' })
  })

  it('the types accept only the documented voices; others go into fields', () => {
    accept<NewAvatar>({ name: 'Guide', voice: { type: 'live-preset', presetId: 'clara' } })
    // @ts-expect-error misspelled
    accept<NewAvatar>({ name: 'Guide', voice: { type: 'live-preset', presetId: 'clra' } })
    accept<NewAvatar>({ name: 'Guide', fields: { voice: { type: 'live-preset', presetId: 'another' } } })
  })

  it('the types know the documented statuses of tasks and sessions', () => {
    const misspelled = (task: TaskHandle, session: SessionHandle): boolean =>
      // @ts-expect-error misspelled
      task.status === 'SUCEEDED' ||
      // @ts-expect-error the status of a task, and not of a session
      session.status === 'SUCCEEDED'
    expectTypeOf(misspelled).returns.toBeBoolean()
  })

  it('the types estimate the cost of listed models only once the amount is known', () => {
    accept<CreditBasis>({ model: 'gen4.5', duration: 5 })
    accept<CreditBasis>({ model: 'audio_voice_dubbing', seconds: 30 })
    accept<CreditBasis>({ model: 'gen4_image', price: '720p' })
    accept<CreditBasis>({ model: unlistedModel('gen6') })
    // @ts-expect-error there is no such model
    accept<CreditBasis>({ model: 'gen5', duration: 5 })
    // @ts-expect-error it costs by the second
    accept<CreditBasis>({ model: 'gen4.5' })
    // @ts-expect-error it costs by the character
    accept<CreditBasis>({ model: 'audio_multilingual_v2' })
    // @ts-expect-error it has no such price
    accept<CreditBasis>({ model: 'gen4_image', price: '4k' })
  })

  it('the types have exactly the fields that are checked at run time', () => {
    type Checked = { [Name in GenerationName]: keyof (typeof SHOWN_FIELDS)[Name] }
    expectTypeOf<Checked>().toEqualTypeOf<{ [Name in GenerationName]: ShownField<Name> }>()
  })

  it('the types tie each request of a batch to its operation', () => {
    accept<BatchRequest>({ operation: 'textToImage', request: { model: 'gen4_image' } })
    // @ts-expect-error a model of another endpoint
    accept<BatchRequest>({ operation: 'textToImage', request: { model: 'gen4.5', promptText: 'rain' } })
  })

  it('the types do not let an update change the reference image', () => {
    // @ts-expect-error it is not among the fields that can be changed
    accept<AvatarChanges>({ referenceImage: 'https://assets.example/a.png' })
  })

  it('the types return tasks with their output', () => {
    type Task = Awaited<ReturnType<Awaited<ReturnType<Media['textToVideo']>>['wait']>>
    expectTypeOf<Task['output']>().toEqualTypeOf<readonly string[]>()
    expectTypeOf<Task['status']>().toEqualTypeOf<'SUCCEEDED'>()
  })
})
