import type { Contract } from '../read/contract.ts'
import { type Json, type JsonObject, isList, isObject } from '../read/json.ts'
import { childPointer, pointerSegments } from '../read/pointer.ts'
import { didYouMean } from '../words/closest.ts'
import type { MessageModel, SocketRulesModel } from './model.ts'

/**
 * Reads `x-socket-rules`, and compares it with the messages that the client sends on the channel. Its form is checked
 * elsewhere, with that of all words. `sent.keys` maps keys of messages in the contract to keys in the generated code.
 */
export function readSocketRules(
  contract: Contract,
  raw: Json | undefined,
  pointer: string,
  sent: { readonly messages: readonly MessageModel[]; readonly keys: ReadonlyMap<string, string> },
): SocketRulesModel {
  if (!isObject(raw)) return {}
  const reader = new RulesReader(contract, sent.messages, sent.keys)
  const at = (key: string) => childPointer(pointer, key)
  const { keepAlive, idleCloseMs, emptyBinaryCloses, gate, replay } = raw
  // The remaining rules are about the service. Whatever their values, a client sends keep-alives and never sends an empty frame.
  if (emptyBinaryCloses !== undefined) reader.needBinary(at('emptyBinaryCloses'))
  const read = {
    ...(isObject(keepAlive) ? { keepAlive: reader.keepAlive(keepAlive, at('keepAlive')) } : {}),
    ...(isObject(gate) ? { gate: reader.gate(gate, at('gate')) } : {}),
    ...(isList(replay) ? { replay: reader.replay(replay, at('replay')) } : {}),
  }
  if (read.keepAlive && read.keepAlive.maxIntervalMs >= Number(idleCloseMs))
    contract.refuse(
      at('keepAlive'),
      "its `maxIntervalMs` isn't less than `idleCloseMs`, so the service would close the connection first",
    )
  return read
}

type KeepAlive = NonNullable<SocketRulesModel['keepAlive']>

class RulesReader {
  readonly #contract: Contract
  readonly #sends: readonly MessageModel[]
  readonly #keys: ReadonlyMap<string, string>

  constructor(contract: Contract, sends: readonly MessageModel[], keys: ReadonlyMap<string, string>) {
    this.#contract = contract
    this.#sends = sends
    this.#keys = keys
  }

  keepAlive(rule: JsonObject, at: string): KeepAlive {
    const { name, message } = this.#message(rule['message'], childPointer(at, 'message'))
    const [minIntervalMs, maxIntervalMs] = [Number(rule['minIntervalMs']), Number(rule['maxIntervalMs'])]
    if (minIntervalMs > maxIntervalMs)
      this.#contract.refuse(childPointer(at, 'maxIntervalMs'), 'it is less than `minIntervalMs`')
    const payload = rule['payload'] ?? null
    if (rule['payload'] !== undefined) this.#checkPayload(payload, childPointer(at, 'payload'), message)
    return { message: name, payload, minIntervalMs, maxIntervalMs }
  }

  gate(rule: JsonObject, at: string): { message: string } {
    this.needBinary(at)
    return { message: this.#message(rule['message'], childPointer(at, 'message')).name }
  }

  replay(names: readonly Json[], at: string): string[] {
    return names.map((name, index) => this.#message(name, childPointer(at, index)).name)
  }

  #message(raw: Json | undefined, at: string): { name: string; message: MessageModel | undefined } {
    const name = this.#keys.get(String(raw)) ?? String(raw)
    const message = this.#sends.find(({ key }) => key === name)
    if (!message) {
      const known = this.#sends.map(({ key }) => key)
      this.#contract.refuse(
        at,
        `the client sends no message \`${name}\` on this channel${didYouMean(name, known)}`,
      )
    } else if (message.kind !== 'json')
      this.#contract.refuse(at, `\`${name}\` is ${message.kind}; a message in JSON is needed`)
    return { name, message }
  }

  /** Checks that a payload has the tags of its message. */
  #checkPayload(raw: Json, at: string, message: MessageModel | undefined): void {
    const wrong = message?.tags.find(({ pointer, equals }) => valueAt(raw, pointer) !== equals)
    if (wrong) {
      this.#contract.refuse(
        at,
        `\`${message?.key}\` has ${JSON.stringify(wrong.equals)} at ${JSON.stringify(wrong.pointer)}`,
      )
    }
  }

  needBinary(at: string): void {
    if (!this.#sends.some(({ kind }) => kind === 'binary'))
      this.#contract.refuse(
        at,
        'this rule is about binary messages, and the client sends none on this channel',
      )
  }
}

function valueAt(raw: Json | undefined, pointer: string): Json | undefined {
  return pointerSegments(pointer).reduce<Json | undefined>(
    (value, name) => (isObject(value) ? value[name] : undefined),
    raw,
  )
}
