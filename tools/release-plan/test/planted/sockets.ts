import { plant, SCHEMAS, text, TRACKING, type PlantedChange } from './plant.ts'

/** Channels, messages, replies, handshakes. */
export const sockets: readonly PlantedChange[] = [
  plant(
    [['sockets', '/channels/news', 'set', { address: '/news', messages: {} }]],
    'minor minor: Adds the channel `news` (`/news`).',
  ),
  plant(
    [
      ['sockets', '/operations/tellLines', 'remove'],
      ['sockets', '/channels/log', 'remove'],
    ],
    'major major: Removes the channel `log` (`/log`).',
  ),
  plant(
    [['sockets', `${TRACKING}/address`, 'set', '/v2/tracking']],
    'major none: Moves the channel `tracking` from `/tracking` to `/v2/tracking`.',
  ),
  plant(
    [['sockets', `${SCHEMAS}/TrackingOptions/properties/pace/enum`, 'set', ['slow']]],
    'major major: Removes the value `fast` from `TrackingOptions.pace` (query).',
  ),
  plant(
    [['sockets', `${SCHEMAS}/TrackingOptions/properties/zone`, 'set', text]],
    'minor minor: Adds the optional query field `zone` to `TrackingOptions`.',
  ),
  plant(
    [['sockets', `${TRACKING}/bindings/ws/query`, 'remove']],
    'major major: Removes the query of `tracking`.',
  ),
  plant(
    [
      [
        'sockets',
        `${TRACKING}/messages/stop`,
        'set',
        { payload: { type: 'object', properties: { type: { const: 'stop' } } } },
      ],
      ['sockets', '/operations/hearPing/messages/1', 'set', { $ref: '#/channels/tracking/messages/stop' }],
    ],
    'minor minor: Adds the client message `stop` to `tracking`.',
  ),
  plant(
    [['sockets', '/operations/hearPing', 'remove']],
    'major major: Removes the client message `ping` from `tracking`.',
  ),
  plant(
    [
      ['sockets', `${TRACKING}/messages/ping`, 'rename', 'beat'],
      ['sockets', '/operations/hearPing/messages/0/$ref', 'set', '#/channels/tracking/messages/beat'],
    ],
    'none major: Renames the client message `ping` of `tracking` to `beat`.',
  ),
  plant(
    [
      [
        'sockets',
        `${TRACKING}/messages/left`,
        'set',
        { payload: { type: 'object', properties: { type: { const: 'left' } } } },
      ],
      ['sockets', '/operations/tellPlace/messages/1', 'set', { $ref: '#/channels/tracking/messages/left' }],
    ],
    'major major: Adds the server message `left` to `tracking`.',
  ),
  plant(
    [
      [
        'sockets',
        '/channels/log/messages/left',
        'set',
        { payload: { type: 'object', properties: { type: { const: 'left' } } } },
      ],
      ['sockets', '/operations/tellLines/messages/1', 'set', { $ref: '#/channels/log/messages/left' }],
    ],
    'minor major: Adds the server message `left` to `log`; clients used to treat it as an unnamed message.',
  ),
  plant(
    [['sockets', '/operations/tellPlace', 'remove']],
    'major major: Removes the server message `located` from `tracking`.',
  ),
  plant(
    [
      ['sockets', `${TRACKING}/messages/located`, 'rename', 'placed'],
      ['sockets', '/operations/tellPlace/messages/0/$ref', 'set', '#/channels/tracking/messages/placed'],
    ],
    'none major: Renames the server message `located` of `tracking` to `placed`.',
  ),
  plant(
    [['sockets', '/operations/hearPing/action', 'set', 'send']],
    'major major: Adds the server message `ping` to `tracking`.',
    'major major: Removes the client message `ping` from `tracking`.',
  ),
  plant(
    [['sockets', `${TRACKING}/messages/ping/contentType`, 'set', 'application/octet-stream']],
    'major major: Changes `contentType` of `ping`.',
  ),
  plant(
    [
      ['sockets', '/operations/hearSubscription/reply', 'remove'],
      [
        'sockets',
        '/operations/tellPlace/messages/1',
        'set',
        { $ref: '#/channels/tracking/messages/subscribed' },
      ],
      [
        'sockets',
        '/operations/tellPlace/messages/2',
        'set',
        { $ref: '#/channels/tracking/messages/refused' },
      ],
    ],
    'major major: No longer documents a reply to `subscribe` of `tracking`.',
  ),
  plant(
    [
      ['sockets', '/operations/hearSubscription/reply/messages/1', 'remove'],
      [
        'sockets',
        '/operations/tellPlace/messages/1',
        'set',
        { $ref: '#/channels/tracking/messages/refused' },
      ],
    ],
    'minor major: No longer documents `refused` as a reply to `subscribe` of `tracking`.',
  ),
  plant(
    [
      [
        'sockets',
        '/operations/hearSubscription/reply/messages/2',
        'set',
        { $ref: '#/channels/tracking/messages/located' },
      ],
    ],
    'major major: Documents `located` as a reply to `subscribe` of `tracking`.',
  ),
  plant(
    [
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
    'minor minor: Documents the replies to `ping` of `tracking`: `located`.',
  ),
  plant(
    [['sockets', '/servers/main/x-security-optional', 'remove']],
    'major major: Requires a credential for `tracking` and `log`.',
  ),
  plant(
    [['sockets', `${TRACKING}/messages/subscribed/correlationId/location`, 'set', '$message.payload#/type']],
    'major none: Moves the correlation id of `subscribed` from `$message.payload#/parcel` to `$message.payload#/type`.',
  ),
  plant(
    [['sockets', `${TRACKING}/messages/subscribed/correlationId`, 'remove']],
    'major major: Changes `correlationId` of `subscribed`.',
  ),
  plant(
    [['sockets', '/servers/main/host', 'set', 'live.example']],
    'major major: Changes the server of `log` from `wss://parcels.example` to `wss://live.example`.',
    'major major: Changes the server of `tracking` from `wss://parcels.example` to `wss://live.example`.',
  ),
  plant(
    [['sockets', `${TRACKING}/x-socket-rules/idleCloseMs`, 'set', 5000]],
    'major none: Requires more of the clients of `tracking`: `idleCloseMs` from 10000 to 5000.',
  ),
  plant(
    [['sockets', `${TRACKING}/x-socket-rules/idleCloseMs`, 'set', 20000]],
    'minor none: Requires less of the clients of `tracking`: `idleCloseMs` from 10000 to 20000.',
  ),
  plant(
    [['sockets', `${TRACKING}/x-socket-rules/gate`, 'set', { message: 'subscribe' }]],
    'major none: Requires more of the clients of `tracking`: `gate` to `{"message":"subscribe"}`.',
  ),
]
