import { schemaOracle, type SocketChannel, type SocketMessage, type SocketSpec } from '@concord/spec-model'
import { row, rowKey, type Row } from '../../coverage/matrix.ts'
import type { FrameDirection } from '../judge/judge-frame.ts'
import { messageExamples } from '../serve/example-frame.ts'
import { handshakeCases } from './handshake-cases.ts'

const none = '-'

/** Returns a message's kind of frame, which the coverage matrix shows in the column for media types. */
const frameType = (message: SocketMessage): string => `${message.frame} frame`

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

/** A rule of a channel. `malformed` and `denied` apply to every channel. */
export type RuleName =
  | 'keepAlive'
  | 'idleCloseMs'
  | 'emptyBinaryCloses'
  | 'gate'
  | 'replay'
  | 'reply'
  | 'malformed'
  | 'denied'

/** The rules that an emulator or another stand-in for the service must follow. */
const forStandIns: readonly RuleName[] = ['idleCloseMs', 'emptyBinaryCloses', 'gate', 'reply', 'denied']

/** Lists everything in an AsyncAPI document that must be tested, as rows of the coverage matrix. @public */
export function listSocketRows(spec: SocketSpec): readonly Row[] {
  const oracle = schemaOracle(spec)
  return spec.channels.flatMap((channel): Row[] => [
    ...handshakeCases(channel, oracle).map(({ name, hard }) =>
      row(['handshake', channel.id, none, none, name], {
        mock: 'Handshakes are tested with the recorder, not with a mock.',
        dynamic: 'Only messages are random.',
        emulator: 'A walk covers messages and rules, not handshakes.',
        ...(channel.query ? {} : { validators: 'The channel has no query to check.' }),
        ...(channel.query && hard
          ? { validators: 'The validators are checked with the queries of the other handshakes.' }
          : {}),
      }),
    ),
    ...channel.sends.flatMap((message) =>
      messageExamples(oracle, message).map(({ name }) =>
        row(['sent', channel.id, message.key, frameType(message), name], {
          mock: 'The client sends this message.',
          dynamic: 'Only received messages are random.',
          ...(message.schema ? {} : { validators: 'The message has no JSON Schema.' }),
        }),
      ),
    ),
    ...channel.receives.flatMap((message) =>
      messageExamples(oracle, message).map(({ name }) =>
        row(['received', channel.id, message.key, frameType(message), name], {
          request: 'The service sends this message.',
          ...(message.schema
            ? {}
            : { dynamic: 'The message has no JSON Schema.', validators: 'The message has no JSON Schema.' }),
        }),
      ),
    ),
    ...ruleNames(channel).map((rule) =>
      row(['rule', channel.id, none, none, rule], {
        mock: 'Rules are tested on the wire.',
        dynamic: 'Rules are tested on the wire.',
        validators: "A rule isn't a schema.",
        ...(rule === 'idleCloseMs'
          ? { request: 'The service closes the connection; a client prevents this with keep-alives.' }
          : {}),
        ...(forStandIns.includes(rule) ? {} : { emulator: 'This rule is for clients.' }),
      }),
    ),
  ])
}

export function messageRow(
  direction: FrameDirection,
  channel: SocketChannel,
  message: SocketMessage,
  example: string,
): string {
  return rowKey(direction, channel.id, message.key, frameType(message), example)
}

export function ruleRow(channel: SocketChannel, rule: RuleName): string {
  return rowKey('rule', channel.id, none, none, rule)
}

export function handshakeRow(channel: SocketChannel, name: string): string {
  return rowKey('handshake', channel.id, none, none, name)
}
