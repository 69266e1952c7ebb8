import type { Verdict } from './verdict.ts'

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

const rule = (says: string, why: string, sent: string, received = sent): Rule => ({
  says,
  why,
  sent: sent.split(' ') as unknown as Verdicts,
  received: received.split(' ') as unknown as Verdicts,
  reach: 'types',
})
const call = (says: string, why: string, sent: string, received = sent): Rule => ({
  ...rule(says, why, sent, received),
  reach: 'calls',
})
const named = (says: string, why: string, sent: string, received = sent): Rule => ({
  ...rule(says, why, sent, received),
  named: true,
})

const STOPS = 'Programs that use it stop working.'
const NEW = 'Programs that do not use it notice nothing.'
const SENT_LESS = 'Values that could be sent are rejected now.'
const RECEIVED_MORE = 'Programs receive values that the old contract ruled out.'
const EITHER = `${SENT_LESS} ${RECEIVED_MORE}`
const UNKNOWN = 'No rule says what this means to programs, so it counts as breaking.'
const NAMES = 'The name is part of the generated code.'

/**
 * Every kind of change: the sentence, the reason, and the verdicts `wire typescript` in what clients send and, if they differ,
 * in what clients receive.
 *
 * On the wire: does a program that was built on the old contract work with a service that follows the new one? In TypeScript:
 * does code that uses the old client compile, and do the same, with the new one?
 */
export const rules = {
  // Schemas, in both directions.
  'field-added': rule('Adds the optional {role} field `{name}` to {owner}.', NEW, 'minor minor'),
  'field-added-required': rule(
    'Adds the required {role} field `{name}` to {owner}.',
    'Callers that do not send it are rejected.',
    'major major',
    'minor minor',
  ),
  'field-added-closed': rule(
    'Adds the {role} field `{name}` to {owner}, which had no other fields.',
    RECEIVED_MORE,
    'minor minor',
    'major minor',
  ),
  'field-added-required-closed': rule(
    'Adds the required {role} field `{name}` to {owner}, which had no other fields.',
    EITHER,
    'major major',
    'major minor',
  ),
  'field-removed': rule(
    'Removes the optional {role} field `{name}` from {owner}.',
    STOPS,
    'major major',
    'minor major',
  ),
  'field-removed-required': rule(
    'Removes the required {role} field `{name}` from {owner}.',
    STOPS,
    'major major',
  ),
  'field-renamed': rule('Renames the {role} field `{from}` of {owner} to `{name}`.', STOPS, 'major major'),
  'field-required': rule(
    'Makes the {role} field `{name}` of {owner} required.',
    'Callers that do not send it are rejected.',
    'major major',
    'minor minor',
  ),
  'field-optional': rule(
    'Makes the {role} field `{name}` of {owner} optional.',
    'Programs that read it have to cope without it.',
    'minor minor',
    'major major',
  ),
  'type-narrowed': rule(
    'No longer allows {values} for {owner}{in}.',
    SENT_LESS,
    'major major',
    'minor minor',
  ),
  'type-widened': rule('Also allows {values} for {owner}{in}.', RECEIVED_MORE, 'minor minor', 'major major'),
  'type-changed': rule('Changes the type of {owner} from {from} to {to}{in}.', EITHER, 'major major'),
  'values-listed': rule('Limits {owner} to {values}{in}.', SENT_LESS, 'major major', 'minor major'),
  'values-freed': rule(
    'No longer limits {owner} to {values}{in}.',
    RECEIVED_MORE,
    'minor minor',
    'major major',
  ),
  'value-added': rule('Adds the value {values} to {owner}{in}.', RECEIVED_MORE, 'minor minor', 'major major'),
  'value-removed': rule(
    'Removes the value {values} from {owner}{in}.',
    `${SENT_LESS} Comparisons with it do not compile.`,
    'major major',
    'minor major',
  ),
  'open-value-added': rule('Adds the value {values} to the open enum {owner}{in}.', NEW, 'minor minor'),
  'open-value-removed': rule(
    'Removes the value {values} from the open enum {owner}{in}.',
    'The service may reject it; types accept it as before.',
    'major patch',
    'minor patch',
  ),
  'open-values-dropped': rule(
    'Lists no values for {owner} any more; every string was allowed{in}.',
    'Types accept the same strings.',
    'none patch',
  ),
  'enum-opened': rule(
    'Opens the enum {owner} to other values{in}.',
    RECEIVED_MORE,
    'minor minor',
    'major major',
  ),
  'enum-closed': rule(
    'Closes the enum {owner} to other values than {values}{in}.',
    SENT_LESS,
    'major major',
    'minor major',
  ),
  'limit-tightened': rule('Tightens `{name}` of {owner}{change}{in}.', SENT_LESS, 'major none', 'minor none'),
  'limit-relaxed': rule(
    'Relaxes `{name}` of {owner}{change}{in}.',
    RECEIVED_MORE,
    'minor none',
    'major none',
  ),
  'check-changed': rule('Changes `{name}` of {owner}{change}{in}.', EITHER, 'major none'),
  'others-closed': rule(
    'No longer allows unlisted fields in {owner}{in}.',
    SENT_LESS,
    'major none',
    'minor none',
  ),
  'others-opened': rule('Allows unlisted fields in {owner}{in}.', RECEIVED_MORE, 'minor none', 'major none'),
  'others-changed': rule('Changes which unlisted fields {owner} may have{in}.', EITHER, 'major major'),
  'items-limited': rule(
    'Limits the items of {owner} to a schema{in}.',
    SENT_LESS,
    'major major',
    'minor minor',
  ),
  'items-freed': rule(
    'No longer limits the items of {owner} to a schema{in}.',
    RECEIVED_MORE,
    'minor minor',
    'major major',
  ),
  'branch-added': rule(
    'Adds {name} to the alternatives of {owner}{in}.',
    RECEIVED_MORE,
    'minor minor',
    'major major',
  ),
  'branch-removed': rule(
    'Removes {name} from the alternatives of {owner}{in}.',
    SENT_LESS,
    'major major',
    'minor major',
  ),
  'part-added': rule('Requires {owner} to match {name} too{in}.', SENT_LESS, 'major major', 'minor minor'),
  'part-removed': rule(
    'No longer requires {owner} to match {name}{in}.',
    RECEIVED_MORE,
    'minor minor',
    'major major',
  ),
  'default-added': rule('Documents the default {to} of {owner}{in}.', NEW, 'minor none', 'patch none'),
  'default-changed': rule(
    'Changes the default of {owner} from {from} to {to}{in}.',
    'The same request means something else.',
    'major none',
    'patch none',
  ),
  'default-removed': rule(
    'Removes the default {from} of {owner}{in}.',
    'The same request may mean something else.',
    'major none',
    'patch none',
  ),
  deprecated: rule('Deprecates {owner}.', 'Editors strike it through; it works as before.', 'none minor'),
  undeprecated: rule('No longer deprecates {owner}.', 'It works as before.', 'none patch'),
  'secret-marked': rule(
    'Marks {owner} as a secret.',
    'It disappears from logs, errors and events.',
    'none minor',
  ),
  'secret-unmarked': rule(
    'No longer marks {owner} as a secret.',
    'It appears in logs, errors and events.',
    'none major',
  ),
  'transition-added': call('Documents the transition {values} of {owner}.', NEW, 'minor none'),
  'transition-removed': call(
    'No longer documents the transition {values} of {owner}.',
    'Nothing says that it is impossible.',
    'minor none',
  ),

  // Names that only the generated code has.
  'type-added': rule('Adds the type `{name}`.', NEW, 'none minor'),
  'type-removed': rule('Removes the type `{name}`.', 'Imports of it do not compile.', 'none major'),
  'type-renamed': rule(
    'Renames the type `{from}` to `{name}`.',
    'Imports of it do not compile.',
    'none major',
  ),

  // Operations.
  'operation-added': named('Adds the operation `{name}` ({to}).', NEW, 'minor minor'),
  'operation-removed': named('Removes the operation `{name}` ({from}).', STOPS, 'major major'),
  'operation-renamed': named('Renames the operation `{from}` to `{name}`.', NAMES, 'none major'),
  'operation-moved': rule(
    'Moves the operation `{name}` from {from} to {to}.',
    'Programs call the old address.',
    'major none',
  ),
  'parameter-added': rule('Adds the optional {role} `{name}` to {owner}.', NEW, 'minor minor'),
  'parameter-added-required': rule(
    'Adds the required {role} `{name}` to {owner}.',
    'Calls without it are rejected.',
    'major major',
    'minor minor',
  ),
  'parameter-added-constant': call(
    'Adds the required {role} `{name}` to {owner}; clients send its only value by themselves.',
    'Programs without the new client are rejected.',
    'major none',
    'minor minor',
  ),
  'parameter-removed': rule('Removes the {role} `{name}` from {owner}.', STOPS, 'major major'),
  'parameter-renamed': rule(
    'Renames the path parameter `{from}` of {owner} to `{name}`.',
    NAMES,
    'none major',
  ),
  'parameter-required': rule(
    'Makes the {role} `{name}` of {owner} required.',
    'Calls without it are rejected.',
    'major major',
    'minor minor',
  ),
  'parameter-optional': rule(
    'Makes the {role} `{name}` of {owner} optional.',
    'Programs that read it have to cope without it.',
    'minor minor',
    'major major',
  ),
  'body-added': rule('Adds an optional body to {owner}.', NEW, 'minor minor', 'major major'),
  'body-added-required': rule(
    'Adds a required body to {owner}.',
    'Calls without it are rejected.',
    'major major',
  ),
  'body-removed': rule('Removes the body of {owner}.', STOPS, 'major major'),
  'body-required': rule(
    'Makes the body of {owner} required.',
    'Calls without it are rejected.',
    'major major',
    'minor minor',
  ),
  'body-optional': rule(
    'Makes the body of {owner} optional.',
    'Programs that read it have to cope without it.',
    'minor minor',
    'major major',
  ),
  'media-added': rule(
    'Adds the media type `{name}` to {owner}.',
    RECEIVED_MORE,
    'minor minor',
    'major major',
  ),
  'media-removed': rule('Removes the media type `{name}` from {owner}.', STOPS, 'major major'),
  'part-types-added': call(
    'Also accepts {values} for the part `{name}` of {owner}.',
    NEW,
    'minor minor',
    'major major',
  ),
  'part-types-removed': call(
    'No longer accepts {values} for the part `{name}` of {owner}.',
    SENT_LESS,
    'major major',
    'minor minor',
  ),
  'success-added': rule('Adds the success {name} to {owner}.', RECEIVED_MORE, 'minor minor', 'major major'),
  'success-added-open': rule(
    'Documents the success {name} of {owner}, whose status was open.',
    NEW,
    'minor minor',
  ),
  'success-removed': rule(
    'Removes the success {name} from {owner}.',
    'Comparisons with it do not compile.',
    'major major',
    'minor major',
  ),
  'error-added': rule('Documents the error {name} of {owner}.', NEW, 'minor minor'),
  'error-removed': rule(
    'No longer documents the error {name} of {owner}.',
    'Nothing says that it is impossible.',
    'major major',
    'minor minor',
  ),
  'status-opened': rule(
    'Leaves the status of the success {name} of {owner} open.',
    'Programs that compare the status see others.',
    'minor minor',
  ),
  'status-settled': rule('Settles the status of the success {name} of {owner}.', NEW, 'minor minor'),
  'response-opened': rule(
    'Lets the success {name} of {owner} come without its body.',
    RECEIVED_MORE,
    'minor minor',
    'major major',
  ),
  'response-settled': rule('Settles the body of the success {name} of {owner}.', NEW, 'minor minor'),
  'credential-required': call(
    'Requires a credential for {owner}.',
    'Calls without it are rejected.',
    'major major',
  ),
  'credential-optional': call('Makes the credential of {owner} optional.', NEW, 'minor minor'),
  'credential-added': call('Accepts {name} as the credential of {owner}.', NEW, 'minor minor'),
  'credential-removed': call(
    'No longer accepts {name} as the credential of {owner}.',
    'Programs that use it are rejected.',
    'major major',
  ),
  'scheme-changed': call('Changes how the credential `{name}` is sent.', UNKNOWN, 'major major'),
  'server-changed': call(
    'Changes the server of {owner} from {from} to {to}.',
    'Programs call the old address.',
    'major major',
  ),
  'webhook-added': named('Adds the webhook `{name}`.', NEW, 'minor minor'),
  'webhook-removed': named('Removes the webhook `{name}`.', STOPS, 'major major'),
  'webhook-renamed': named('Renames the webhook `{from}` to `{name}`.', NAMES, 'none major'),

  // Sockets.
  'channel-added': named('Adds the channel `{name}`{to}.', NEW, 'minor minor'),
  'channel-removed': named('Removes the channel `{name}`{from}.', STOPS, 'major major'),
  'channel-renamed': named('Renames the channel `{from}` to `{name}`.', NAMES, 'none major'),
  'channel-moved': call(
    'Moves the channel `{name}` from {from} to {to}.',
    'Programs connect to the old address.',
    'major none',
  ),
  'query-added': rule('Adds {owner}.', NEW, 'minor minor'),
  'query-added-required': rule(
    'Adds {owner}, with required parameters.',
    'Connections without them are rejected.',
    'major major',
  ),
  'query-removed': rule('Removes {owner}.', STOPS, 'major major'),
  'message-added': named(
    'Adds the {role} `{name}` to {owner}.',
    'Programs receive a message that they do not know.',
    'minor minor',
    'major major',
  ),
  'message-added-covered': named(
    'Adds the {role} `{name}` to {owner}; clients took it for an unnamed message before.',
    'Programs that look for it among the unnamed messages do not find it there.',
    'minor minor',
    'minor major',
  ),
  'message-removed': named('Removes the {role} `{name}` from {owner}.', STOPS, 'major major'),
  'message-renamed': named('Renames the {role} `{from}` of {owner} to `{name}`.', NAMES, 'none major'),
  'reply-added': rule('Documents `{name}` as a reply to `{from}` of {owner}.', RECEIVED_MORE, 'major major'),
  'reply-removed': rule(
    'No longer documents `{name}` as a reply to `{from}` of {owner}.',
    'Comparisons with it do not compile.',
    'minor major',
  ),
  'replies-added': rule('Documents how `{from}` of {owner} is replied to: {values}.', NEW, 'minor minor'),
  'replies-removed': rule(
    'No longer documents a reply to `{from}` of {owner}.',
    'Programs that wait for the reply have nothing to wait for.',
    'major major',
  ),

  // The x- words that steer a client.
  'retry-tightened': call(
    'Limits when `{name}` may be sent again: {change}.',
    'Programs that repeat it may do so too often; calls fail that recovered before.',
    'major major',
  ),
  'retry-relaxed': call('Lets `{name}` be sent again in more cases: {change}.', NEW, 'minor minor'),
  'retry-changed': call('Changes when `{name}` may be sent again: {change}.', UNKNOWN, 'major major'),
  'outcome-added': call('Documents the outcome of `{name}`: {change}.', NEW, 'minor minor'),
  'outcome-changed': call(
    'Changes the outcome of `{name}`: {change}.',
    'Programs that recover by it do the wrong thing.',
    'major major',
  ),
  'waiter-added': call('Documents how to wait for `{name}`.', NEW, 'minor minor'),
  'waiter-removed': call('No longer documents how to wait for `{name}`.', STOPS, 'major major'),
  'waiter-status-listed': call(
    'Lists {values} as {to} when waiting for `{name}`.',
    'It was waited through before.',
    'minor minor',
  ),
  'waiter-changed': call(
    'Changes how to wait for `{name}`: {change}.',
    'A wait ends with another result.',
    'major major',
  ),
  'waiter-pace-changed': call(
    'Changes how often and how long to poll `{name}`: {change}.',
    'Waits take another time.',
    'none patch',
  ),
  'rate-meaning-added': call('Documents the meaning {values} of the 429 of {owner}.', NEW, 'minor minor'),
  'rate-meaning-changed': call(
    'Changes the meanings of the 429 of {owner}.',
    'Programs that decide by them decide otherwise.',
    'major major',
  ),
  'rule-tightened': call(
    'Asks more of clients of {owner}: {change}.',
    'Programs without the new client break the rule.',
    'major none',
  ),
  'rule-relaxed': call('Asks less of clients of {owner}: {change}.', NEW, 'minor none'),
  'fact-added': rule('Adds the fact `{name}`.', NEW, 'none minor'),
  'fact-extended': rule('Adds to the fact `{name}`.', NEW, 'none minor'),
  'fact-removed': rule('Removes the fact `{name}`.', 'Imports of it do not compile.', 'none major'),
  'fact-changed': rule('Changes the fact `{name}`.', UNKNOWN, 'major major'),
  'model-added': rule('Adds the model `{name}`.', NEW, 'minor minor'),
  'model-removed': rule('Removes the model `{name}`.', STOPS, 'major major'),
  'model-extended': rule('Adds endpoints to the model `{name}`.', NEW, 'minor minor'),
  'model-changed': rule('Changes what the model `{name}` takes.', UNKNOWN, 'major major'),
  'model-priced': rule(
    'Changes the price of the model `{name}`.',
    'Programs that compute with it see another figure.',
    'none minor',
  ),

  // Services, and the rest.
  'service-added': named('Adds the service `{name}`.', NEW, 'minor minor'),
  'service-removed': named('Removes the service `{name}`.', STOPS, 'major major'),
  'contract-added': rule('Adds the contract {name}.', NEW, 'minor minor'),
  'contract-removed': rule('Removes the contract {name}.', STOPS, 'major major'),
  'format-changed': rule('Changes the format `{name}`.', EITHER, 'major none'),
  'text-changed': rule('Changes the description of {owner}.', 'Nothing changes for programs.', 'none patch'),
  'example-changed': {
    ...rule('Changes the examples of {owner}.', 'Nothing changes for programs.', 'none none'),
    reach: 'file',
  },
  'unused-changed': {
    ...rule('Changes parts of the contract that nothing uses.', 'Nothing changes for programs.', 'none none'),
    reach: 'file',
  },
  unknown: rule('Changes `{name}` of {owner}.', UNKNOWN, 'major major'),
} as const satisfies Record<string, Rule>

/** The name of a rule. */
export type Kind = keyof typeof rules
