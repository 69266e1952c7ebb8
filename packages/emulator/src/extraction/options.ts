import { EmulatorOptionsError } from '../core/errors.ts'
import type { ChoiceOverrides } from '../core/choices.ts'
import type { NewBlueprint } from './blueprints.ts'
import type { ExtractionChoices } from './choices.ts'
import type { Plan, PlanName } from './plans.ts'

/** How the extraction service is set up. @public */
export interface ExtractionOptions {
  /** The plan of every key: one of the service's, or limits of your own. By default `pro`. */
  plan?: PlanName | Plan
  /** The API keys that are valid from the start; by default one new key. */
  apiKeys?: readonly string[]
  /** Replaces choices; see `ExtractionChoices`. */
  choices?: ChoiceOverrides<ExtractionChoices>
  /** How long a device code lives, in seconds; by default 900, as the service's documentation says. */
  deviceCodeLifetimeSeconds?: number
  /** The least seconds between two polls; by default 5, as the service's documentation says. */
  pollIntervalSeconds?: number
  /** Accepts `http://` webhook addresses too, which the service does not. For local receivers. By default off. */
  allowHttpWebhooks?: boolean
  /** Delivers the webhooks; by default the host's `fetch`. */
  webhookFetch?: (request: Request) => Promise<Response>
  /** Blueprints that every key sees from the start. */
  blueprints?: readonly NewBlueprint[]
  /** What every path starts with, for instance `/tenant`; by default nothing. */
  basePath?: string
}

/** Checks a number of seconds. */
export function toSeconds(name: string, seconds: number): number {
  if (Number.isInteger(seconds) && seconds > 0) return seconds
  throw new EmulatorOptionsError(`${name} must be a whole number of seconds above 0, not ${seconds}.`)
}
