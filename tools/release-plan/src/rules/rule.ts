import type { Verdict } from '../verdict.ts'

type Verdicts = readonly [wire: Verdict, typescript: Verdict]

/** The consequences of a change for programs. They depend on whether clients send or receive the changed value. */
export interface Reasons {
  readonly sent: string
  readonly received: string
}

/** A kind of change, and its verdicts. */
export interface Rule {
  /** The change as a sentence, with placeholders such as `{name}`. */
  readonly says: string
  readonly why: Reasons
  /** The verdicts for what clients send: parameters, request bodies, client messages. */
  readonly sent: Verdicts
  /** The verdicts for what clients receive: responses, webhooks, server messages. */
  readonly received: Verdicts
  /**
   * The parts of the packages that change. `types`: generated types and schemas. `calls`: only the code that makes
   * calls. `file`: only the contract file.
   */
  readonly reach: 'types' | 'calls' | 'file'
  /**
   * Whether the change affects the name of a service, operation, webhook, channel or message. The emulator uses these
   * names, too.
   */
  readonly named?: true
}

type Pair = `${Verdict} ${Verdict}`

const verdicts = (pair: Pair): Verdicts => pair.split(' ') as [Verdict, Verdict]

/** Creates a rule for changes to generated types and schemas. */
export const rule = (says: string, why: string | Reasons, sent: Pair, received: Pair = sent): Rule => ({
  says,
  why: typeof why === 'string' ? { sent: why, received: why } : why,
  sent: verdicts(sent),
  received: verdicts(received),
  reach: 'types',
})
/** Creates a rule for changes to how a call is made. Types and schemas don't show these changes. */
export const call = (says: string, why: string | Reasons, sent: Pair, received: Pair = sent): Rule => ({
  ...rule(says, why, sent, received),
  reach: 'calls',
})
/** Creates a rule for adding, removing or renaming something whose name is also in the emulator's interface. */
export const named = (says: string, why: string | Reasons, sent: Pair, received: Pair = sent): Rule => ({
  ...rule(says, why, sent, received),
  named: true,
})

/** Reasons that several rules share. */
export const STOPS = 'Programs that use it stop working.'
export const NEW = 'Existing programs work as before.'
export const NARROWER: Reasons = {
  sent: 'The service rejects some values that it used to accept.',
  received: 'Programs no longer receive some values.',
}
export const WIDER: Reasons = {
  sent: 'The service accepts more values.',
  received: 'Programs may receive values that the old contract did not allow.',
}
export const EITHER: Reasons = { sent: NARROWER.sent, received: WIDER.received }
export const NEEDED: Reasons = {
  sent: 'The service rejects programs that do not send it.',
  received: 'Programs can rely on it.',
}
export const NOT_NEEDED: Reasons = {
  sent: 'Programs may leave it out.',
  received: 'Programs that read it must handle its absence.',
}
export const UNKNOWN = 'The release plan has no rule for this change, so it counts as breaking.'
export const NAMES = 'Code that uses the old name does not compile.'
