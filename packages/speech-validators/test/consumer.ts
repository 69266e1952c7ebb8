// What a consumer writes with these schemas and a zod of its own. It is type-checked, and run, with the lowest and
// the highest zod of the supported range, and with zod/mini in the place of zod.
import {
  type Configure,
  type ConversationOptions,
  type KeepAlive,
  type ListenModel,
  type LiveTranscriptionOptions,
  type OptionValue,
  type ServerEvent,
  type Speak,
  type Thresholds,
  type Transcript,
  configure,
  configureFailure,
  configureSuccess,
  conversationOptions,
  keepAlive,
  listenModel,
  liveTranscriptionOptions,
  speak,
  transcript,
} from '@concord/speech-validators'
import * as z from 'zod'

/** What somebody's own server may keep of a recording. */
export const recording = z.object({
  owner: z.string(),
  options: liveTranscriptionOptions,
  earlier: z.array(liveTranscriptionOptions),
  model: z.optional(listenModel),
  conversation: z.nullable(conversationOptions),
  transcript,
})

/** What a relay takes from a client. */
export const fromClient = z.union([keepAlive, configure, speak])

/** What answers a Configure. */
export const answer = z.union([configureSuccess, configureFailure])

export type Recording = z.infer<typeof recording>

type Assignable<From, To> = [From] extends [To] ? true : false
const holds = <_Statement extends true>(): void => {}
const refuses = <_Statement extends false>(): void => {}

// The inferred types and the generated ones fit each other, also with exactOptionalPropertyTypes.
holds<Assignable<z.infer<typeof configure>, Configure>>()
holds<Assignable<Configure, z.infer<typeof configure>>>()
holds<Assignable<z.input<typeof configure>, Configure>>()
holds<Assignable<z.infer<typeof keepAlive>, KeepAlive>>()
holds<Assignable<KeepAlive, z.infer<typeof keepAlive>>>()
holds<Assignable<Recording['options'], LiveTranscriptionOptions>>()
holds<Assignable<LiveTranscriptionOptions, Recording['options']>>()
holds<Assignable<NonNullable<Recording['model']>, ListenModel>>()
holds<Assignable<ConversationOptions | null, Recording['conversation']>>()
holds<Assignable<z.infer<typeof answer>['type'], 'ConfigureSuccess' | 'ConfigureFailure'>>()

// What is not shown is open.
holds<Assignable<unknown, Transcript>>()
holds<Assignable<unknown, ServerEvent>>()
holds<Assignable<string | number | boolean | string[], OptionValue>>()

// The options of the two families do not mix, and `flux` alone is no model.
refuses<Assignable<LiveTranscriptionOptions, ConversationOptions>>()
refuses<Assignable<ConversationOptions, LiveTranscriptionOptions>>()
refuses<Assignable<'flux', ConversationOptions['model']>>()
refuses<Assignable<'flux-general-en', ListenModel>>()
refuses<Assignable<{ smart_format: boolean }, ConversationOptions>>()

// Thresholds are texts on the wire.
refuses<Assignable<number, Thresholds['eot_threshold']>>()
refuses<Assignable<object, Speak>>()
