import { SCHEMAS, text, TRACKING, type PlantedChanges } from './places.ts'

/** Channels, messages, replies, handshakes. */
export const sockets: PlantedChanges = {
  'minor minor: Adds the channel `news` (`/news`).': [
    ['sockets', '/channels/news', 'set', { address: '/news', messages: {} }],
  ],
  'major major: Removes the channel `log` (`/log`).': [
    ['sockets', '/operations/tellLines', 'remove'],
    ['sockets', '/channels/log', 'remove'],
  ],
  'major none: Moves the channel `tracking` from `/tracking` to `/v2/tracking`.': [
    ['sockets', `${TRACKING}/address`, 'set', '/v2/tracking'],
  ],
  'major major: Removes the value `fast` from `TrackingOptions.pace` (query).': [
    ['sockets', `${SCHEMAS}/TrackingOptions/properties/pace/enum`, 'set', ['slow']],
  ],
  'minor minor: Adds the optional query field `zone` to `TrackingOptions`.': [
    ['sockets', `${SCHEMAS}/TrackingOptions/properties/zone`, 'set', text],
  ],
  'major major: Removes the query of `tracking` from the connection URL.': [
    ['sockets', `${TRACKING}/bindings/ws/query`, 'remove'],
  ],
  'minor minor: Adds the client message `stop` to `tracking`.': [
    [
      'sockets',
      `${TRACKING}/messages/stop`,
      'set',
      { payload: { type: 'object', properties: { type: { const: 'stop' } } } },
    ],
    ['sockets', '/operations/hearPing/messages/1', 'set', { $ref: '#/channels/tracking/messages/stop' }],
  ],
  'major major: Removes the client message `ping` from `tracking`.': [
    ['sockets', '/operations/hearPing', 'remove'],
  ],
  'none major: Renames the client message `ping` of `tracking` to `beat`.': [
    ['sockets', `${TRACKING}/messages/ping`, 'rename', 'beat'],
    ['sockets', '/operations/hearPing/messages/0/$ref', 'set', '#/channels/tracking/messages/beat'],
  ],
  'major major: Adds the server message `left` to `tracking`.': [
    [
      'sockets',
      `${TRACKING}/messages/left`,
      'set',
      { payload: { type: 'object', properties: { type: { const: 'left' } } } },
    ],
    ['sockets', '/operations/tellPlace/messages/1', 'set', { $ref: '#/channels/tracking/messages/left' }],
  ],
  'minor major: Adds the server message `left` to `log`. Old clients read it as the catch-all message (the message without a constant field).':
    [
      [
        'sockets',
        '/channels/log/messages/left',
        'set',
        { payload: { type: 'object', properties: { type: { const: 'left' } } } },
      ],
      ['sockets', '/operations/tellLines/messages/1', 'set', { $ref: '#/channels/log/messages/left' }],
    ],
  'major major: Removes the server message `located` from `tracking`.': [
    ['sockets', '/operations/tellPlace', 'remove'],
  ],
  'none major: Renames the server message `located` of `tracking` to `placed`.': [
    ['sockets', `${TRACKING}/messages/located`, 'rename', 'placed'],
    ['sockets', '/operations/tellPlace/messages/0/$ref', 'set', '#/channels/tracking/messages/placed'],
  ],
  'major major: Changes `contentType` of `ping`.': [
    ['sockets', `${TRACKING}/messages/ping/contentType`, 'set', 'application/octet-stream'],
  ],
  'major major: No longer documents any reply to the message `subscribe` of `tracking`.': [
    ['sockets', '/operations/hearSubscription/reply', 'remove'],
    [
      'sockets',
      '/operations/tellPlace/messages/1',
      'set',
      { $ref: '#/channels/tracking/messages/subscribed' },
    ],
    ['sockets', '/operations/tellPlace/messages/2', 'set', { $ref: '#/channels/tracking/messages/refused' }],
  ],
  'minor major: No longer documents `refused` as a reply to the message `subscribe` of `tracking`.': [
    ['sockets', '/operations/hearSubscription/reply/messages/1', 'remove'],
    ['sockets', '/operations/tellPlace/messages/1', 'set', { $ref: '#/channels/tracking/messages/refused' }],
  ],
  'major major: Documents `located` as a reply to the message `subscribe` of `tracking`.': [
    [
      'sockets',
      '/operations/hearSubscription/reply/messages/2',
      'set',
      { $ref: '#/channels/tracking/messages/located' },
    ],
  ],
  'minor minor: Documents the replies to the message `ping` of `tracking`: `located`.': [
    [
      'sockets',
      '/operations/hearPing/reply',
      'set',
      {
        channel: { $ref: '#/channels/tracking' },
        messages: [{ $ref: '#/channels/tracking/messages/located' }],
      },
    ],
  ],
  'major major: Requires a credential for `tracking` and `log`.': [
    ['sockets', '/servers/main/x-security-optional', 'remove'],
  ],
  'major none: Moves the correlation id of `subscribed` from `$message.payload#/parcel` to `$message.payload#/type`.':
    [['sockets', `${TRACKING}/messages/subscribed/correlationId/location`, 'set', '$message.payload#/type']],
  'major major: Changes `correlationId` of `subscribed`.': [
    ['sockets', `${TRACKING}/messages/subscribed/correlationId`, 'remove'],
  ],
  'major none: Tightens a rule for the clients of `tracking` (`idleCloseMs` from 10000 to 5000).': [
    ['sockets', `${TRACKING}/x-socket-rules/idleCloseMs`, 'set', 5000],
  ],
  'minor none: Relaxes a rule for the clients of `tracking` (`idleCloseMs` from 10000 to 20000).': [
    ['sockets', `${TRACKING}/x-socket-rules/idleCloseMs`, 'set', 20000],
  ],
  'major none: Tightens a rule for the clients of `tracking` (`gate` to `{"message":"subscribe"}`).': [
    ['sockets', `${TRACKING}/x-socket-rules/gate`, 'set', { message: 'subscribe' }],
  ],
}
