/** The input and output types of the choices of the extraction emulator. */

import type { DeliveryPolicy } from '../core/deliver.ts'
import { type JsonObject } from '../core/json.ts'
import type { Optimization, OptimizationRequest } from './model.ts'
import type { Plan } from './plans.ts'

/** An API key that is being added. @public */
export interface NewKey {
  apiKey: string
  /** The plan from the emulator's options or the control interface. */
  plan: Plan
  fromDeviceFlow: boolean
}

/** The request in a submission's form. @public */
export interface FormOptions {
  pipeline: string
  pipelineVersion?: string
  includePages: boolean
  includeImages: boolean
  /** The part that can't be read. */
  invalid?: string
}

/** A webhook to send: its body, and how its delivery should differ from the emulator's own. @public */
export interface WebhookToSend extends Partial<DeliveryPolicy> {
  body: JsonObject
}

/** The pages of a plan in the current cycle, for the quota headers. @public */
export interface PageQuota {
  /** Absent for a caller without a key; the page counts are then 0. */
  plan?: Plan
  perMonth: number
  remaining: number
  used: number
  /** When the cycle resets, in milliseconds since the Unix epoch. */
  resetsAt: number
}

/** The state of a device authorization when it is polled. @public */
export type PollState =
  | 'pending'
  | 'too-fast'
  | 'approved'
  | 'denied'
  | 'after-denial'
  | 'expired'
  | 'delivered'
  | 'unknown'

/** Calls that share a request rate. @public */
export interface RateScope {
  /** Calls with the same name are counted together. */
  name: string
  /** How many of them are allowed per minute; `Infinity` for no limit. */
  requestsPerMinute: number
  /** By default `sliding`. */
  window?: 'sliding' | 'fixed'
}

/** The input of the choice `startRun`. @public */
export interface RunFacts {
  /** The request; only for a new run. */
  request?: OptimizationRequest
  /** The failed run that the caller wants to resume. */
  failed?: Optimization
  /** The latest run for the blueprint. */
  latest?: Optimization
  /** The schema of the blueprint's active version. */
  activeSchema?: JsonObject
}

/** The starting point of an optimization run. @public */
export interface RunStart {
  schema: JsonObject
  /** The requested settings of the run; `validation_split` is 0.3 by default, as documented. */
  request: Partial<OptimizationRequest>
  /** By default 0. */
  iteration?: number
  /** In percent; by default the baseline. */
  currentAccuracy?: number
  /** By default 0. */
  totalCostUsd?: number
}
