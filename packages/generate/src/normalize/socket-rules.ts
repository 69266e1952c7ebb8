import type { ContractNode } from '../read/contract.ts'
import { type Json, isList, isObject } from '../read/json.ts'
import { pointerSegments } from '../read/pointer.ts'
import { didYouMean } from '../words/closest.ts'
import type { MessageModel, SocketRulesModel } from './model.ts'

/**
 * Reads `x-socket-rules`, and checks that the rules fit the messages that the client sends on the channel.
 * `words/form.ts` checks the members of the rules and their types.
 *
 * @param keys Maps the messages' keys in the contract to their keys in the generated code.
 */
export function readSocketRules(
  rules: ContractNode,
  sent: readonly MessageModel[],
  keys: ReadonlyMap<string, string>,
): SocketRulesModel {
  const { keepAlive, idleCloseMs, emptyBinaryCloses, gate, replay } = rules.raw
  const read = (name: ContractNode) => readMessage(name, sent, keys)
  // `idleCloseMs` and `emptyBinaryCloses` only describe the service. They don't change the generated client.
  if (emptyBinaryCloses !== undefined) needBinary(rules.at('emptyBinaryCloses'), sent)
  const alive = isObject(keepAlive) ? readKeepAlive(rules.at('keepAlive'), read) : undefined
  if (isObject(gate)) needBinary(rules.at('gate'), sent)
  const found = {
    ...(alive && { keepAlive: alive }),
    ...(isObject(gate) && { gate: { message: read(rules.at('gate', 'message')).name } }),
    ...(isList(replay) && {
      replay: rules
        .at('replay')
        .items()
        .map((name) => read(name).name),
    }),
  }
  if (alive && alive.maxIntervalMs >= Number(idleCloseMs))
    rules.reject(
      '`maxIntervalMs` must be less than `idleCloseMs`; otherwise, the service would close the connection before the next keep-alive',
      'keepAlive',
    )
  return found
}

interface NamedMessage {
  readonly name: string
  readonly message: MessageModel | undefined
}

function readKeepAlive(
  rule: ContractNode,
  read: (name: ContractNode) => NamedMessage,
): NonNullable<SocketRulesModel['keepAlive']> {
  const { name, message } = read(rule.at('message'))
  const { payload } = rule.raw
  const [minIntervalMs, maxIntervalMs] = [
    Number(rule.raw['minIntervalMs']),
    Number(rule.raw['maxIntervalMs']),
  ]
  if (minIntervalMs > maxIntervalMs)
    rule.reject('`maxIntervalMs` must not be less than `minIntervalMs`', 'maxIntervalMs')
  const wrong =
    payload === undefined
      ? undefined
      : message?.tags.find(({ pointer, equals }) => valueAt(payload, pointer) !== equals)
  if (wrong)
    rule.reject(
      `the message \`${name}\` always has ${JSON.stringify(wrong.equals)} at ${JSON.stringify(wrong.pointer)}, so this payload must have the same value there`,
      'payload',
    )
  return { message: name, payload: payload ?? null, minIntervalMs, maxIntervalMs }
}

function readMessage(
  key: ContractNode,
  sent: readonly MessageModel[],
  keys: ReadonlyMap<string, string>,
): NamedMessage {
  const name = keys.get(String(key.value)) ?? String(key.value)
  const message = sent.find((each) => each.key === name)
  if (!message) {
    const known = sent.map((each) => each.key)
    key.reject(`the client sends no message \`${name}\` on this channel${didYouMean(name, known)}`)
  } else if (message.kind !== 'json')
    key.reject(`the message \`${name}\` is ${message.kind}, not JSON; choose a JSON message`)
  return { name, message }
}

function needBinary(rule: ContractNode, sent: readonly MessageModel[]): void {
  if (!sent.some(({ kind }) => kind === 'binary'))
    rule.reject('this rule is about binary messages, but the client sends none on this channel')
}

function valueAt(raw: Json | undefined, pointer: string): Json | undefined {
  return pointerSegments(pointer).reduce<Json | undefined>(
    (value, name) => (isObject(value) ? value[name] : undefined),
    raw,
  )
}
