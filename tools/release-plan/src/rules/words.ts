import { EITHER, NEW, STOPS, UNKNOWN, call, named, rule, type Rule } from './rule.ts'

/** Rules of the x- words that steer a client, of whole contracts, and of what has no rule of its own. */
export const words = {
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
  'pagination-added': call('Documents how to get the pages of `{name}`.', NEW, 'minor minor'),
  'pagination-removed': call('No longer documents how to get the pages of `{name}`.', STOPS, 'major major'),
  'pagination-changed': call(
    'Changes how to get the pages of `{name}`: {change}.',
    'Pages are asked for, or read, in another way.',
    'major major',
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
  'fact-changed': rule('Changes the fact `{name}` ({change}).', UNKNOWN, 'major major'),
  'model-added': rule('Adds the model `{name}`.', NEW, 'minor minor'),
  'model-removed': rule('Removes the model `{name}`.', STOPS, 'major major'),
  'model-extended': rule('Adds endpoints to the model `{name}`.', NEW, 'minor minor'),
  'model-changed': rule('Changes what the model `{name}` takes.', UNKNOWN, 'major major'),
  'model-priced': rule(
    'Changes the price of the model `{name}`.',
    'Programs that compute with it see another figure.',
    'none minor',
  ),
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
