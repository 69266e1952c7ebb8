// Code of a consumer that uses these schemas with its own zod. It is type-checked, and run, with the lowest and the highest
// zod of the supported range, and with zod/mini instead of zod.
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

/** A record of a consumer's own server. */
export const recording = z.object({
  owner: z.string(),
  options: liveTranscriptionOptions,
  earlier: z.array(liveTranscriptionOptions),
  model: z.optional(listenModel),
  conversation: z.nullable(conversationOptions),
  transcript,
})

/** The messages that a relay accepts from a client. */
export const fromClient = z.union([keepAlive, configure, speak])

/** The replies to a Configure. */
export const response = z.union([configureSuccess, configureFailure])

export type Recording = z.infer<typeof recording>

type Assignable<From, To> = [From] extends [To] ? true : false
const holds = <_Statement extends true>(): void => {}
const fails = <_Statement extends false>(): void => {}

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
holds<Assignable<z.infer<typeof response>['type'], 'ConfigureSuccess' | 'ConfigureFailure'>>()

// Types of undocumented payloads are open.
holds<Assignable<unknown, Transcript>>()
holds<Assignable<unknown, ServerEvent>>()
holds<Assignable<string | number | boolean | string[], OptionValue>>()

// The options of the two families do not mix, and `flux` alone isn't a model.
fails<Assignable<LiveTranscriptionOptions, ConversationOptions>>()
fails<Assignable<ConversationOptions, LiveTranscriptionOptions>>()
fails<Assignable<'flux', ConversationOptions['model']>>()
fails<Assignable<'flux-general-en', ListenModel>>()
fails<Assignable<{ smart_format: boolean }, ConversationOptions>>()

// Thresholds are strings on the wire.
fails<Assignable<number, Thresholds['eot_threshold']>>()
fails<Assignable<object, Speak>>()
