import { ChoiceError, type Mismatch } from './errors.ts'
import { jsonReply, type Reply } from './reply.ts'
import type { CoreDenial, ErrorFacts, ErrorResponse } from './service.ts'

/** Maps each kind of error to its status and its message. */
export type DenialTable<Facts> = Readonly<
  Record<string, readonly [status: number, message: string | ((facts: Facts) => string)]>
>

/** The values that the message of a {@link CoreDenial} can contain. */
export interface CommonFacts {
  readonly reasons?: readonly string[]
  readonly limit?: number
}

/** The errors that no service's documentation mentions. */
export const COMMON_DENIALS = {
  'body-too-large': [413, ({ limit }) => `The body is larger than ${limit} bytes.`],
  'route-unknown': [404, 'Nothing was found at this URL.'],
  'method-unknown': [405, ({ reasons = [] }) => `This URL only accepts ${reasons.join(', ')}.`],
} as const satisfies DenialTable<CommonFacts>

interface DenialDefinition<Kind extends string, Facts> {
  readonly service: string
  /** The errors with a documented status. */
  readonly documented: DenialTable<Facts>
  /** The errors whose status comes from `choices.statuses`. */
  readonly chosen: DenialTable<Facts>
  /** The documented messages, or the documented beginnings of messages. */
  readonly documentedMessages?: Readonly<Partial<Record<Kind, string>>>
  /** Returns the default body, which `choices.errorResponse` can replace. */
  toBody(message: string, kind: Kind, facts: Facts): unknown
  /** For an error with status 429, the name of the exceeded limit, as in the contract's `x-rate-meaning`. */
  readonly rateMeanings?: Readonly<Partial<Record<Kind, string>>>
}

export interface DenialChoices<Kind extends string, Facts> {
  readonly statuses: Readonly<Partial<Record<Kind, number>>>
  errorResponse(error: ErrorFacts<Kind, Facts>): ErrorResponse | undefined
}

/** Creates a service's error responses, and applies the service's choices to them. */
export class Denials<Kind extends string, Facts extends object> {
  readonly #definition: DenialDefinition<Kind, Facts>

  constructor(definition: DenialDefinition<Kind, Facts>) {
    this.#definition = definition
  }

  readonly deny = (choices: DenialChoices<Kind, Facts>, kind: Kind, facts = {} as Facts): Reply => {
    const { status, body, headers } = this.#choose(choices, kind, facts)
    const reply = jsonReply(status, body, headers)
    const rateMeaning = this.#definition.rateMeanings?.[kind]
    return rateMeaning === undefined ? reply : { ...reply, rateMeaning }
  }

  /** Returns the message of an error, to show on an HTML page. */
  readonly messageOf = (choices: DenialChoices<Kind, Facts>, kind: Kind, facts = {} as Facts): string =>
    this.#choose(choices, kind, facts).message

  #choose(choices: DenialChoices<Kind, Facts>, kind: Kind, facts: Facts) {
    const { service, documented, chosen: defaults, documentedMessages, toBody } = this.#definition
    const status = documented[kind]?.[0] ?? choices.statuses[kind] ?? 500
    const ownMessage = messageIn({ ...defaults, ...documented }, kind, facts)
    const chosen = choices.errorResponse({ kind, facts, status, message: ownMessage }) ?? {}
    const { message = ownMessage, headers } = chosen
    const beginning = documentedMessages?.[kind] ?? ''
    if (!message.startsWith(beginning))
      throw new ChoiceError(
        service,
        'errorResponse',
        `returned, for the error \`${kind}\`, a message that doesn't begin with the documented "${beginning}"`,
      )
    return { status, message, body: 'body' in chosen ? chosen.body : toBody(message, kind, facts), headers }
  }
}

export function messageIn<Facts>(table: DenialTable<Facts>, kind: string, facts: Facts): string {
  const [, message = ''] = table[kind] ?? []
  return typeof message === 'string' ? message : message(facts)
}

/** Returns the status of each error. These statuses are the defaults of `choices.statuses`. */
export function statusesOf<const T extends DenialTable<never>>(table: T): { [K in keyof T]: number } {
  const entries = Object.entries(table).map(([kind, [status]]) => [kind, status])
  return Object.fromEntries(entries) as { [K in keyof T]: number }
}

export function reasonsOf(mismatches: readonly Mismatch[]): string[] {
  return mismatches.map(({ path, reason }) => `${path} ${reason}`)
}

export function denialFacts(denial: CoreDenial<unknown>): CommonFacts {
  if (denial.kind === 'method-unknown') return { reasons: denial.allowedMethods }
  if (denial.kind === 'request-rejected') return { reasons: reasonsOf(denial.mismatches) }
  return denial.kind === 'body-too-large' ? { limit: denial.limitBytes } : {}
}
