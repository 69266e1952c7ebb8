import { schemaOracle, type SocketChannel, type SocketMessage, type SocketSpec } from '@concord/spec-model'
import { row, rowKey, type Row } from '../../coverage/matrix.ts'
import { messageExamples } from '../serve/example-frame.ts'
import { handshakeCases } from './handshake-cases.ts'

const none = '-'

/** The media type that the matrix shows for a frame. */
export const frameType = (message: SocketMessage): string => `${message.frame} frame`

/** The rules of a channel that can be seen from outside. */
export function ruleNames({ rules, replies }: SocketChannel): readonly RuleName[] {
  return [
    ...(rules.keepAlive ? (['keepAlive'] as const) : []),
    ...(rules.idleCloseMs === undefined ? [] : (['idleCloseMs'] as const)),
    ...(rules.emptyBinaryCloses ? (['emptyBinaryCloses'] as const) : []),
    ...(rules.gate ? (['gate'] as const) : []),
    ...(rules.replay ? (['replay'] as const) : []),
    ...(Object.keys(replies).length > 0 ? (['reply'] as const) : []),
    'malformed',
    'denied',
  ]
}

/** A rule of a channel. `malformed` and `rejected` hold for every channel. */
export type RuleName =
  | 'keepAlive'
  | 'idleCloseMs'
  | 'emptyBinaryCloses'
  | 'gate'
  | 'replay'
  | 'reply'
  | 'malformed'
  | 'denied'

/** The part of a stand-in in a rule; the other rules are for clients alone. */
const forStandIns: readonly RuleName[] = ['idleCloseMs', 'emptyBinaryCloses', 'gate', 'reply', 'denied']

/** Lists what must be covered of the sockets of a document, from the document alone. @public */
export function listSocketRows(spec: SocketSpec): readonly Row[] {
  const oracle = schemaOracle(spec)
  return spec.channels.flatMap((channel): Row[] => [
    ...handshakeCases(channel, oracle).map(({ name, hard }) =>
      row(['handshake', channel.id, none, none, name], {
        mock: 'The recorder accepts every handshake.',
        dynamic: 'Random values are a matter of the messages.',
        emulator: 'The walk is counted by its messages.',
        ...(hard || !channel.query ? { validators: 'There is no query of its own to check.' } : {}),
      }),
    ),
    ...channel.sends.flatMap((message) =>
      messageExamples(oracle, message).map(({ name }) =>
        row(['sent', channel.id, message.key, frameType(message), name], {
          mock: 'A message of the client.',
          dynamic: 'Random values are a matter of what is received.',
          ...(message.schema ? {} : { validators: 'Bytes.' }),
        }),
      ),
    ),
    ...channel.receives.flatMap((message) =>
      messageExamples(oracle, message).map(({ name }) =>
        row(['received', channel.id, message.key, frameType(message), name], {
          request: 'A message of the service.',
          ...(message.schema ? {} : { dynamic: 'Bytes.', validators: 'Bytes.' }),
        }),
      ),
    ),
    ...ruleNames(channel).map((rule) =>
      row(['rule', channel.id, none, none, rule], {
        mock: 'Rules are tried on the wire.',
        dynamic: 'Rules are tried on the wire.',
        validators: "A rule isn't a schema.",
        ...(rule === 'idleCloseMs'
          ? { request: 'The service closes; keepAlive is what a client does about it.' }
          : {}),
        ...(forStandIns.includes(rule) ? {} : { emulator: 'A rule for clients.' }),
      }),
    ),
  ])
}

/** The row of a message with one of its examples. */
export function messageRow(
  direction: 'sent' | 'received',
  channel: SocketChannel,
  message: SocketMessage,
  example: string,
): string {
  return rowKey(direction, channel.id, message.key, frameType(message), example)
}

/** The row of a rule. */
export function ruleRow(channel: SocketChannel, rule: RuleName): string {
  return rowKey('rule', channel.id, none, none, rule)
}

/** The row of a handshake. */
export function handshakeRow(channel: SocketChannel, name: string): string {
  return rowKey('handshake', channel.id, none, none, name)
}
