import {
  checkOptionNames,
  functionOption,
  numberOption,
  OptionsError,
  type OptionNames,
} from '@concord/runtime'

import { addCredits, estimateLoosely, type CreditEstimate } from './credits.ts'
import type { TaskFailedError } from './errors.ts'
import type { FailureCategory } from './failures.ts'
import { documentsDuration } from './requests.ts'

/**
 * When a failed task is submitted anew. Only failures of which the documentation says that a retry helps are:
 * `INTERNAL`, `INTERNAL.BAD_OUTPUT`, and, where there is another prompt, `SAFETY.OUTPUT.*`. Each time costs credits again.
 *
 * @public
 */
export interface RegeneratePolicy {
  /** How often at most, for one task. */
  readonly maxTimes: number
  /**
   * Gives another prompt for a task whose output was refused by the moderation; `undefined` gives the task up. Without it
   * such tasks are not submitted anew: the same prompt would be refused again.
   */
  readonly changePrompt?: (
    failed: TaskFailedError,
    promptText: string | undefined,
  ) => string | undefined | Promise<string | undefined>
  /** Told before each new submission. */
  readonly onRegenerate?: (regeneration: Regeneration) => void
}

/** A failed task in whose place another was submitted. @public */
export interface Regeneration {
  readonly failedId: string
  readonly failure: string
  readonly category: FailureCategory
  /** What the new submission is estimated to cost. */
  readonly credits: CreditEstimate
}

const NAMES: OptionNames<RegeneratePolicy> = { maxTimes: true, changePrompt: true, onRegenerate: true }

/** @throws OptionsError when a policy cannot be used. */
export function checkPolicy(policy: RegeneratePolicy | undefined): void {
  if (policy === undefined) return
  checkOptionNames(policy, NAMES, 'regenerate')
  // Each time costs credits, so that there is no default to fall back to.
  if (policy.maxTimes === undefined)
    throw new OptionsError(
      'regenerate.maxTimes',
      '`regenerate.maxTimes` is missing.',
      'Set the maximum number of times that a task is submitted again.',
    )
  numberOption(policy.maxTimes, 'regenerate.maxTimes', 0, { min: 0, whole: true })
  functionOption(policy.changePrompt, 'regenerate.changePrompt')
  functionOption(policy.onRegenerate, 'regenerate.onRegenerate')
}

/** The body to submit in place of one that failed; undefined when a new submission would not help. */
export async function nextBody(
  policy: RegeneratePolicy,
  failed: TaskFailedError,
  body: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (failed.advice === 'retry') return body
  if (failed.advice !== 'change-prompt') return undefined
  const before = typeof body['promptText'] === 'string' ? body['promptText'] : undefined
  const promptText = await policy.changePrompt?.(failed, before)
  return promptText === undefined || promptText === before ? undefined : { ...body, promptText }
}

/** What the new submissions are estimated to cost together. */
export function creditsOf(regenerations: readonly Regeneration[]): CreditEstimate {
  return regenerations.map(({ credits }) => credits).reduce(addCredits, { min: 0, max: 0 })
}

/**
 * What one more submission of a body is estimated to cost. Only the documented fields count: what others are called at the
 * service, and mean there, is not known.
 */
export function bodyCredits({ model, duration }: Readonly<Record<string, unknown>>): CreditEstimate {
  return estimateLoosely({ model, ...(documentsDuration(model) && { duration }) })
}
