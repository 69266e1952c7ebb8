import { NAMES, NEW, STOPS, WIDER, call, named, rule, type Rule } from './rule.ts'

/** Rules for channels and their messages. */
export const sockets = {
  'channel-added': named('Adds the channel `{name}`{to}.', NEW, 'minor minor'),
  'channel-removed': named('Removes the channel `{name}`{from}.', STOPS, 'major major'),
  'channel-renamed': named('Renames the channel `{from}` to `{name}`.', NAMES, 'none major'),
  'channel-moved': call(
    'Moves the channel `{name}` from {from} to {to}.',
    'Programs with the old client still connect to the old URL.',
    'major none',
  ),
  'query-added': rule('Adds {owner} to the connection URL.', NEW, 'minor minor'),
  'query-added-required': rule(
    'Adds {owner}, with required parameters, to the connection URL.',
    'Connections without them are rejected.',
    'major major',
  ),
  'query-removed': rule('Removes {owner} from the connection URL.', STOPS, 'major major'),
  'message-added': named(
    'Adds the {role} `{name}` to {owner}.',
    { sent: NEW, received: "Programs receive a message that they don't know." },
    'minor minor',
    'major major',
  ),
  'message-added-covered': named(
    'Adds the {role} `{name}` to {owner}. Old clients read it as the catch-all message (the message without a constant field).',
    'Programs with the new client no longer receive it as the catch-all message.',
    'minor minor',
    'minor major',
  ),
  'message-removed': named('Removes the {role} `{name}` from {owner}.', STOPS, 'major major'),
  'message-renamed': named('Renames the {role} `{from}` of {owner} to `{name}`.', NAMES, 'none major'),
  'correlation-changed': call(
    'Moves the correlation id of {owner} from {from} to {to}.',
    'Programs with the old client match replies by the wrong field.',
    'major none',
  ),
  'reply-added': rule(
    'Documents `{name}` as a reply to the message `{from}` of {owner}.',
    WIDER,
    'major major',
  ),
  'reply-removed': rule(
    'No longer documents `{name}` as a reply to the message `{from}` of {owner}.',
    'Code that checks for this reply does not compile.',
    'minor major',
  ),
  'replies-added': rule(
    'Documents the replies to the message `{from}` of {owner}: {values}.',
    NEW,
    'minor minor',
  ),
  'replies-removed': rule(
    'No longer documents any reply to the message `{from}` of {owner}.',
    'Programs that wait for a reply wait forever.',
    'major major',
  ),
} as const satisfies Record<string, Rule>
