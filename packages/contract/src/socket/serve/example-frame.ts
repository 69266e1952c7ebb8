import {
  atPointer,
  isObject,
  type SchemaOracle,
  type SocketMessage,
  unescapeToken,
} from '@concord/spec-model'
import { fileBytes } from '../../http/responder.ts'
import { generateValid } from '../../oracle/generate.ts'
import { seededRandom } from '../../oracle/random.ts'
import type { Frame } from '../judge/judge-frame.ts'
import { jsonFrame } from './listen.ts'

const generatedExample = '(generated)'

/** Returns a message's documented examples. If none are documented, generates one. */
export function messageExamples(
  oracle: SchemaOracle,
  message: SocketMessage,
): readonly { readonly name: string; readonly value: unknown }[] {
  if (message.examples.length > 0) return message.examples
  const made = message.schema
    ? generateValid(oracle, message.schema, seededRandom(message.key), 'full')?.value
    : message.frame === 'binary'
      ? '(bytes)'
      : message.plain
        ? 'text'
        : {}
  return [{ name: generatedExample, value: made }]
}

export function messageFrame(message: SocketMessage, value: unknown): Frame {
  if (message.plain) return { binary: false, data: Buffer.from(String(value)) }
  if (message.frame === 'text') return jsonFrame(value)
  return { binary: true, data: value instanceof Uint8Array ? value : fileBytes(String(value)) }
}

/** Copies the `correlationId` value of a message into its reply, so that the client can match the two messages. */
export function correlated(
  sent: SocketMessage,
  payload: unknown,
  reply: SocketMessage,
  value: unknown,
): unknown {
  if (sent.correlation === undefined || reply.correlation === undefined || !isObject(payload)) return value
  const shared = atPointer(payload, sent.correlation)
  if (shared === undefined) return value
  return withMember(value, reply.correlation.split('/').slice(1).map(unescapeToken), shared)
}

function withMember(value: unknown, [name, ...rest]: readonly string[], member: unknown): unknown {
  if (name === undefined) return member
  const object = isObject(value) ? value : {}
  return { ...object, [name]: withMember(object[name], rest, member) }
}

export function replyFrame(
  oracle: SchemaOracle,
  { message, value }: { readonly message: SocketMessage; readonly value: unknown },
  reply: SocketMessage,
): Frame {
  const [example] = messageExamples(oracle, reply)
  return messageFrame(reply, correlated(message, value, reply, example?.value))
}
