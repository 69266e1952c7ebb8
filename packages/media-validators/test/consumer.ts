// Code of a consumer with these schemas and its own zod. It is type-checked, and run, with the lowest and
// the highest zod of the supported range, and with zod/mini in the place of zod.
import {
  type AvatarVoicePreset,
  type ImageToVideoRequest,
  type Task,
  type TaskStatus,
  type TextToVideoRequest,
  avatar,
  avatarVoice,
  imageToVideoRequest,
  realtimeSessionStatus,
  task,
  taskStatus,
  textToVideoRequest,
} from '@concord/media-validators'
import * as z from 'zod'

/** A record of its work on a user's own server. */
export const shelf = z.object({
  owner: z.string(),
  tasks: z.array(task),
  newest: z.optional(task),
  state: z.nullable(taskStatus),
  session: z.optional(realtimeSessionStatus),
  byName: z.record(z.string(), avatar),
})

/** A form with a request in it. */
export const form = z.object({
  request: z.union([imageToVideoRequest, textToVideoRequest]),
  voice: avatarVoice,
})

export type Shelf = z.infer<typeof shelf>

type Assignable<From, To> = [From] extends [To] ? true : false
const holds = <_Statement extends true>(): void => {}

// The inferred types and the generated ones fit each other, also with exactOptionalPropertyTypes.
holds<Assignable<z.infer<typeof task>, Task>>()
holds<Assignable<Task, z.infer<typeof task>>>()
holds<Assignable<z.infer<typeof imageToVideoRequest>, ImageToVideoRequest>>()
holds<Assignable<ImageToVideoRequest, z.input<typeof imageToVideoRequest>>>()
holds<Assignable<Shelf['tasks'][number], Task>>()
holds<Assignable<Shelf['state'], TaskStatus | null>>()

// Models are open and optional, as on the wire.
holds<Assignable<{ model: 'gen4.5'; promptText: string }, TextToVideoRequest>>()
holds<Assignable<{ model: 'gen9'; promptText: string }, TextToVideoRequest>>()
holds<Assignable<{ promptText: string }, TextToVideoRequest>>()
holds<Assignable<{ model: number }, TextToVideoRequest> extends false ? true : never>()

// Statuses are closed; presets of voices are open.
holds<Assignable<'COMPLETED', TaskStatus> extends false ? true : never>()
holds<Assignable<'nora', AvatarVoicePreset>>()
