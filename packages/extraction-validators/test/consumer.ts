// The code of a consumer of these schemas, with its own zod. It is type-checked and run with the lowest and the highest
// supported zod, and with zod/mini in place of zod.
import {
  type BinaryInput,
  type DeviceToken,
  type Job,
  type JobCompletedEvent,
  type JobStatus,
  type ProcessDocumentRequest,
  deviceToken,
  job,
  jobCompletedEvent,
  jobStatus,
  type processDocumentRequest,
  rateLimitErrorBody,
} from '@concord/extraction-validators'
import * as z from 'zod'

/** A page of an archive, as a user's own server may return it. */
export const archive = z.object({
  owner: z.string(),
  job,
  earlier: z.array(job),
  last: z.optional(job),
  kept: z.nullable(jobStatus),
  byName: z.record(z.string(), job),
})

/** Either of two bodies. */
export const incoming = z.union([jobCompletedEvent, z.object({ event: z.literal('ping') })])

/** A denial or a token. */
export const response = z.union([deviceToken, rateLimitErrorBody])

export type Archive = z.infer<typeof archive>

type Assignable<From, To> = [From] extends [To] ? true : false
const holds = <_Statement extends true>(): void => {}

// The inferred types and the generated ones are assignable to each other, also with exactOptionalPropertyTypes.
holds<Assignable<z.infer<typeof job>, Job>>()
holds<Assignable<Job, z.infer<typeof job>>>()
holds<Assignable<z.input<typeof job>, Job>>()
holds<Assignable<z.infer<typeof jobCompletedEvent>, JobCompletedEvent>>()
holds<Assignable<z.infer<typeof deviceToken>, DeviceToken>>()
holds<Assignable<DeviceToken, z.infer<typeof deviceToken>>>()
holds<Assignable<Archive['job'], Job>>()
holds<Assignable<Archive['earlier'][number], Job>>()
holds<Assignable<NonNullable<Archive['last']>, Job>>()
holds<Assignable<Archive['kept'], JobStatus | null>>()
holds<Assignable<JobStatus | null, Archive['kept']>>()
holds<Assignable<Archive['byName'][string], Job>>()
holds<Assignable<z.infer<typeof incoming>['event'], 'job.completed' | 'ping'>>()

// A closed enum is a union of its values; an open one keeps them for completion and accepts any other string.
holds<Assignable<'paused', JobStatus> extends false ? true : never>()
holds<Assignable<'slow_down', DeviceToken['error']>>()

// The compiler accepts a form with a schema, with a blueprint or with neither, but not with both.
declare const bytes: BinaryInput
holds<Assignable<{ file: typeof bytes; schema: string }, ProcessDocumentRequest>>()
holds<Assignable<{ file: typeof bytes; blueprint_id: string }, ProcessDocumentRequest>>()
holds<Assignable<{ file: typeof bytes }, ProcessDocumentRequest>>()
holds<
  Assignable<
    { file: typeof bytes; schema: string; blueprint_id: string },
    ProcessDocumentRequest
  > extends false
    ? true
    : never
>()
holds<Assignable<ProcessDocumentRequest, z.input<typeof processDocumentRequest>>>()
