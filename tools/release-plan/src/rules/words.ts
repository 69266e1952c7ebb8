import { EITHER, NEW, STOPS, UNKNOWN, call, named, rule, type Rule } from './rule.ts'

/** Rules for `x-` members that control clients, for changes to whole contracts, and for all other changes. */
export const words = {
  'retry-tightened': call(
    'Limits when `{name}` may be retried ({change}).',
    'Programs with the old client can retry it too often. The new client retries less, so more calls fail.',
    'major major',
  ),
  'retry-relaxed': call('Allows more retries of `{name}` ({change}).', NEW, 'minor minor'),
  'retry-changed': call('Changes when `{name}` may be retried ({change}).', UNKNOWN, 'major major'),
  'outcome-added': call(
    'Documents how to find out whether `{name}` took effect ({change}).',
    NEW,
    'minor minor',
  ),
  'outcome-changed': call(
    'Changes how to find out whether `{name}` took effect ({change}).',
    'After an error, programs with the old client can be wrong about whether the call took effect.',
    'major major',
  ),
  'waiter-added': call('Documents how to poll `{name}` for a final status.', NEW, 'minor minor'),
  'waiter-removed': call(
    'No longer documents how to poll `{name}` for a final status.',
    'Programs that wait for the final status stop working.',
    'major major',
  ),
  'waiter-status-listed': call(
    'Counts the status {values} as {to} when a client polls `{name}`.',
    'Until now, clients treated this status as pending.',
    'minor minor',
  ),
  'waiter-changed': call(
    'Changes how to poll `{name}` for a final status ({change}).',
    'Programs that wait for the final status may get a different result.',
    'major major',
  ),
  'waiter-pace-changed': call(
    'Changes how often and how long to poll `{name}` ({change}).',
    'Waiting takes more or less time.',
    'none patch',
  ),
  'pagination-added': call('Documents how to get the pages of `{name}`.', NEW, 'minor minor'),
  'pagination-removed': call(
    'No longer documents how to get the pages of `{name}`.',
    'Programs that let the client get the pages stop working.',
    'major major',
  ),
  'pagination-changed': call(
    'Changes how to get the pages of `{name}` ({change}).',
    'Programs with the old client may request or read the pages incorrectly.',
    'major major',
  ),
  'rate-meaning-added': call(
    'Documents that the status 429 of {owner} can mean {values}.',
    NEW,
    'minor minor',
  ),
  'rate-meaning-changed': call(
    'Changes what the status 429 of {owner} means.',
    'Programs that rely on the old meaning behave differently.',
    'major major',
  ),
  'rule-tightened': call(
    'Tightens a rule for the clients of {owner} ({change}).',
    'Programs with the old client violate the rule.',
    'major none',
  ),
  'rule-relaxed': call('Relaxes a rule for the clients of {owner} ({change}).', NEW, 'minor none'),
  'fact-added': rule('Adds the exported constant `{name}`.', NEW, 'none minor'),
  'fact-extended': rule('Extends the exported constant `{name}`.', NEW, 'none minor'),
  'fact-removed': rule(
    'Removes the exported constant `{name}`.',
    'Imports of it do not compile.',
    'none major',
  ),
  'fact-changed': rule('Changes the exported constant `{name}` at {change}.', UNKNOWN, 'major major'),
  'model-added': rule('Adds the model `{name}`.', NEW, 'minor minor'),
  'model-removed': rule('Removes the model `{name}`.', STOPS, 'major major'),
  'model-extended': rule('Adds endpoints to the model `{name}`.', NEW, 'minor minor'),
  'model-changed': rule('Changes what the model `{name}` accepts.', UNKNOWN, 'major major'),
  'model-priced': rule(
    'Changes the price of the model `{name}`.',
    'Programs that compute with the price get a different result.',
    'none minor',
  ),
  'service-added': named('Adds the service `{name}`.', NEW, 'minor minor'),
  'service-removed': named('Removes the service `{name}`.', STOPS, 'major major'),
  'contract-added': rule('Adds the contract {name}.', NEW, 'minor minor'),
  'contract-removed': rule('Removes the contract {name}.', STOPS, 'major major'),
  'format-changed': rule('Changes the string format `{name}`.', EITHER, 'major none'),
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
