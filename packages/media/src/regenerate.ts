import { OptionsError } from '@concord/runtime'
import { checkOptionNames, functionOption, type OptionNames } from '@concord/runtime/internal'

import { addCredits, type CreditEstimate } from './credits.ts'
import type { TaskFailedError } from './errors.ts'
import type { FailureCategory } from './facts.ts'
import { isContent, isSource } from './inputs.ts'

/**
 * Controls when a failed task is submitted again. Only these failures qualify: `INTERNAL` and `INTERNAL.BAD_OUTPUT`,
 * for which the documentation advises a retry, and `SAFETY.OUTPUT.*` if `changePrompt` changes the request. Each
 * submission costs credits.
 *
 * @public
 */
export interface RegeneratePolicy {
  /** The maximum number of further submissions for one task. */
  readonly maxTimes: number
  /**
   * Changes the prompt of a task whose output was rejected by moderation. Returns the request fields to change, with
   * their new values. A field that the request doesn't have is an error, because the service would ignore it. The
   * task is not submitted again if `changePrompt` is missing, if it returns `undefined`, or if it changes no field:
   * the service would reject the same prompt and charge for it a second time.
   *
   * ```ts
   * const changePrompt = (_: unknown, { promptText }: ChangedFields) => ({ promptText: `${promptText}, in daylight` })
   * ```
   */
  readonly changePrompt?: (
    failed: TaskFailedError,
    fields: ChangedFields,
  ) => ChangedFields | undefined | Promise<ChangedFields | undefined>
  /** Called before each new submission. */
  readonly onRegenerate?: (regeneration: Regeneration) => void
}

/** Fields of a request, both documented and undocumented, under the service's names. @public */
export type ChangedFields = Readonly<Record<string, unknown>>

/** A failed task, and the cost of the submission that replaces it. @public */
export interface Regeneration {
  readonly failedId: string
  readonly failure: string
  readonly category: FailureCategory
  /** The estimated cost of the new submission. */
  readonly credits: CreditEstimate
}

const NAMES: OptionNames<RegeneratePolicy> = { maxTimes: true, changePrompt: true, onRegenerate: true }

/** @throws OptionsError if the policy is invalid. */
export function checkPolicy(policy: RegeneratePolicy | undefined): void {
  if (policy === undefined) return
  checkOptionNames(policy, NAMES, 'regenerate')
  // `maxTimes` has no default, because each submission costs credits.
  if (!Number.isSafeInteger(policy.maxTimes) || policy.maxTimes < 0)
    throw new OptionsError(
      'regenerate.maxTimes',
      `\`regenerate.maxTimes\` ${policy.maxTimes === undefined ? 'is missing' : 'must be a whole number of at least 0'}.`,
      'Pass the maximum number of further submissions for one task.',
    )
  functionOption(policy.changePrompt, 'regenerate.changePrompt')
  functionOption(policy.onRegenerate, 'regenerate.onRegenerate')
}

/**
 * Returns the fields to change in the next submission of a failed task, or `undefined` if another submission would
 * not help. An empty object means that the same request is submitted again.
 *
 * @throws OptionsError if the result of `changePrompt` is invalid.
 */
export async function nextChanges(
  policy: RegeneratePolicy,
  failed: TaskFailedError,
  body: ChangedFields,
): Promise<ChangedFields | undefined> {
  if (failed.advice === 'retry') return {}
  if (failed.advice !== 'change-prompt') return undefined
  const changes: unknown = await policy.changePrompt?.(failed, body)
  if (changes === undefined) return undefined
  const names = Object.keys(body)
  if (typeof changes !== 'object' || changes === null || Array.isArray(changes))
    throw badChange('did not return an object of fields', names)
  for (const [name, value] of Object.entries(changes)) {
    if (!Object.hasOwn(body, name))
      throw badChange(`returned \`${name}\`, a field that the request does not have`, names)
    // The value goes into the body unchanged, so it can't be content that would have to be read first.
    if (isContent(value) || isSource(value))
      throw badChange(
        `returned a file or other content for \`${name}\`, but the value must be JSON, such as a URL string`,
        names,
      )
  }
  const changed = Object.entries(changes).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(body[name]),
  )
  return changed.length === 0 ? undefined : Object.fromEntries(changed)
}

function badChange(what: string, names: readonly string[]): OptionsError {
  return new OptionsError(
    'regenerate.changePrompt',
    `\`regenerate.changePrompt\` ${what}. The task was not submitted again.`,
    `Return an object that contains only the fields to change. The request's fields are: ${names.join(', ')}.`,
  )
}

export function creditsOf(regenerations: readonly Regeneration[]): CreditEstimate {
  return regenerations.map(({ credits }) => credits).reduce(addCredits, { min: 0, max: 0 })
}
