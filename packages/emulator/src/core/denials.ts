import { ChoiceError, type Mismatch } from './errors.ts'
import { jsonReply, type Reply } from './reply.ts'
import type { CoreDenial, ErrorFacts, ErrorResponse } from './service.ts'

/** The errors that a service responds with. */
export interface DenialDefinition<Kind extends string, Facts> {
  readonly service: string
  readonly documentedStatuses: Readonly<Partial<Record<Kind, number>>>
  /** The documented messages, or the documented beginnings of messages. */
  readonly documentedMessages?: Readonly<Partial<Record<Kind, string>>>
  readonly messages: Readonly<Record<Kind, (facts: Facts) => string>>
  toBody(message: string, kind: Kind, facts: Facts): unknown
  /** The meaning of a 429, in the words of the contract (`x-rate-meaning`). */
  readonly rateMeanings?: Readonly<Partial<Record<Kind, string>>>
}

export interface DenialChoices<Kind extends string, Facts> {
  readonly statuses: Readonly<Partial<Record<Kind, number>>>
  errorResponse(error: ErrorFacts<Kind, Facts>): ErrorResponse | undefined
}

interface DenialDetails<Kind extends string, Facts> {
  readonly kind: Kind
  readonly facts: Facts
}

/**
 * Applies the choices to an error. The documented status takes precedence over a chosen one.
 *
 * @throws ChoiceError if the chosen message contradicts the documented one.
 */
export function chooseError<Kind extends string, Facts>(
  definition: DenialDefinition<Kind, Facts>,
  choices: DenialChoices<Kind, Facts>,
  details: DenialDetails<Kind, Facts>,
): { status: number; message: string; body: unknown; headers?: Readonly<Record<string, string>> } {
  const { kind, facts } = details
  const status = definition.documentedStatuses[kind] ?? choices.statuses[kind] ?? 500
  const ownMessage = definition.messages[kind](facts)
  const chosen = choices.errorResponse({ ...details, status, message: ownMessage }) ?? {}
  const { message = ownMessage } = chosen
  const documented = definition.documentedMessages?.[kind] ?? ''
  if (!message.startsWith(documented))
    throw new ChoiceError(
      definition.service,
      'errorResponse',
      `returned a message for the error \`${kind}\` that doesn't begin with the documented "${documented}"`,
    )
  const body = 'body' in chosen ? chosen.body : definition.toBody(message, kind, facts)
  return { status, message, body, ...(chosen.headers ? { headers: chosen.headers } : {}) }
}

export function denialReply<Kind extends string, Facts>(
  definition: DenialDefinition<Kind, Facts>,
  choices: DenialChoices<Kind, Facts>,
  details: DenialDetails<Kind, Facts>,
): Reply {
  const { status, body, headers } = chooseError(definition, choices, details)
  const reply = jsonReply(status, body, headers)
  const rateMeaning = definition.rateMeanings?.[details.kind]
  return rateMeaning === undefined ? reply : { ...reply, rateMeaning }
}

export function reasonsOf(mismatches: readonly Mismatch[]): string[] {
  return mismatches.map(({ path, reason }) => `${path} ${reason}`)
}

/** Returns the facts that the message of a core error needs. */
export function denialFacts(denial: CoreDenial<unknown>): { reasons?: readonly string[]; limit?: number } {
  if (denial.kind === 'method-unknown') return { reasons: denial.allowedMethods }
  if (denial.kind === 'request-rejected') return { reasons: reasonsOf(denial.mismatches) }
  return denial.kind === 'body-too-large' ? { limit: denial.limitBytes } : {}
}
