import type { Verdict } from '../verdict.ts'

/** On the wire, and for TypeScript that uses the generated client. */
type Verdicts = readonly [wire: Verdict, typescript: Verdict]

/** The meaning of one kind of change. */
export interface Rule {
  /** The change as a sentence. Names in braces come from the change. */
  readonly says: string
  /** The meaning to programs. */
  readonly why: string
  /** In what clients send: parameters, request bodies, client messages. */
  readonly sent: Verdicts
  /** In what clients receive: responses, webhooks, server messages. */
  readonly received: Verdicts
  /** The part of the packages that changes: generated types and schemas, only how a call is made, or only the contract file. */
  readonly reach: 'types' | 'calls' | 'file'
  /** The emulator names operations, channels and messages in its own interface. */
  readonly named?: true
}

/** The verdicts on the wire and in TypeScript. */
type Pair = `${Verdict} ${Verdict}`

const verdicts = (pair: Pair): Verdicts => pair.split(' ') as [Verdict, Verdict]

/**
 * A rule of what reaches generated types and schemas.
 *
 * @param sent the verdicts in what clients send.
 * @param received the verdicts in what clients receive; the same if they aren't passed.
 */
export const rule = (says: string, why: string, sent: Pair, received: Pair = sent): Rule => ({
  says,
  why,
  sent: verdicts(sent),
  received: verdicts(received),
  reach: 'types',
})
/** A rule of how a call is made, which types and schemas don't show. */
export const call = (says: string, why: string, sent: Pair, received: Pair = sent): Rule => ({
  ...rule(says, why, sent, received),
  reach: 'calls',
})
/** A rule of a name that the emulator's own interface has too. */
export const named = (says: string, why: string, sent: Pair, received: Pair = sent): Rule => ({
  ...rule(says, why, sent, received),
  named: true,
})

/** Reasons that several rules have. */
export const STOPS = 'Programs that use it stop working.'
export const NEW = 'Programs that do not use it notice nothing.'
export const SENT_LESS = 'Values that could be sent are rejected now.'
export const RECEIVED_MORE = 'Programs receive values that the old contract ruled out.'
export const EITHER = `${SENT_LESS} ${RECEIVED_MORE}`
export const UNKNOWN = 'No rule says what this means to programs, so it counts as breaking.'
export const NAMES = 'The name is part of the generated code.'
