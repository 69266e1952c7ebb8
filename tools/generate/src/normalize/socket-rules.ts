import type { Contract } from '../read/contract.ts'
import { type Json, type JsonObject, isList, isObject } from '../read/json.ts'
import { childPointer, pointerSegments } from '../read/pointer.ts'
import type { MessageModel, SocketRulesModel } from './model.ts'

/** Reads x-socket-rules, and holds it to what the client sends on the channel. */
export function readSocketRules(
  contract: Contract,
  raw: Json | undefined,
  pointer: string,
  sends: readonly MessageModel[],
): SocketRulesModel {
  if (raw === undefined) return {}
  if (!isObject(raw)) {
    contract.refuse(pointer, 'x-socket-rules needs an object')
    return {}
  }
  const reader = new RulesReader(contract, sends)
  for (const key of Object.keys(raw)) {
    if (!['keepAlive', 'idleCloseMs', 'emptyBinaryCloses', 'gate', 'replay'].includes(key))
      contract.refuse(childPointer(pointer, key), `\`${key}\` is not one of the rules of a socket`)
  }
  const at = (key: string) => childPointer(pointer, key)
  const { keepAlive, idleCloseMs, emptyBinaryCloses, gate, replay } = raw
  // Rules of the service alone: a client sends keep-alives and never an empty frame, whatever their values.
  if (idleCloseMs !== undefined) reader.duration(idleCloseMs, at('idleCloseMs'))
  if (emptyBinaryCloses !== undefined) reader.flag(emptyBinaryCloses, at('emptyBinaryCloses'))
  return {
    ...(keepAlive === undefined ? {} : { keepAlive: reader.keepAlive(keepAlive, at('keepAlive')) }),
    ...(gate === undefined ? {} : { gate: reader.gate(gate, at('gate')) }),
    ...(replay === undefined ? {} : { replay: reader.replay(replay, at('replay')) }),
  }
}

type KeepAlive = NonNullable<SocketRulesModel['keepAlive']>

class RulesReader {
  readonly #contract: Contract
  readonly #sends: readonly MessageModel[]

  constructor(contract: Contract, sends: readonly MessageModel[]) {
    this.#contract = contract
    this.#sends = sends
  }

  keepAlive(raw: Json, at: string): KeepAlive {
    const rule = this.#members(raw, at, ['message', 'payload', 'minIntervalMs', 'maxIntervalMs'])
    const { name, message } = this.#message(rule['message'], childPointer(at, 'message'))
    const minIntervalMs = this.duration(rule['minIntervalMs'], childPointer(at, 'minIntervalMs'))
    const maxIntervalMs = this.duration(rule['maxIntervalMs'], childPointer(at, 'maxIntervalMs'))
    if (minIntervalMs > maxIntervalMs)
      this.#contract.refuse(childPointer(at, 'maxIntervalMs'), 'it is less than `minIntervalMs`')
    return {
      message: name,
      payload: this.#payload(rule['payload'], childPointer(at, 'payload'), message),
      minIntervalMs,
      maxIntervalMs,
    }
  }

  gate(raw: Json, at: string): { message: string } {
    const rule = this.#members(raw, at, ['message'])
    this.#needBinary(at)
    return { message: this.#message(rule['message'], childPointer(at, 'message')).name }
  }

  replay(raw: Json, at: string): string[] {
    if (!isList(raw) || raw.length === 0) {
      this.#contract.refuse(at, 'it needs a list of messages that the client sends')
      return []
    }
    return raw.map((name, index) => this.#message(name, childPointer(at, index)).name)
  }

  flag(raw: Json, at: string): boolean {
    if (typeof raw !== 'boolean') this.#contract.refuse(at, 'it needs true or false')
    this.#needBinary(at)
    return raw === true
  }

  duration(raw: Json | undefined, at: string): number {
    if (typeof raw === 'number' && Number.isInteger(raw) && raw > 0) return raw
    this.#contract.refuse(at, 'it needs a whole number of milliseconds')
    return 1
  }

  #members(raw: Json, at: string, known: readonly string[]): JsonObject {
    if (!isObject(raw)) {
      this.#contract.refuse(at, 'it needs an object')
      return {}
    }
    for (const key of Object.keys(raw)) {
      if (!known.includes(key)) this.#contract.refuse(childPointer(at, key), 'this is not a part of the rule')
    }
    return raw
  }

  #message(raw: Json | undefined, at: string): { name: string; message: MessageModel | undefined } {
    const name = String(raw)
    const message = this.#sends.find(({ key }) => key === name)
    if (!message) this.#contract.refuse(at, `the client sends no message \`${name}\` on this channel`)
    else if (message.kind === 'binary')
      this.#contract.refuse(at, `\`${name}\` is binary; a message in JSON is needed`)
    return { name, message }
  }

  /** Checks that a payload has the values that every message of this kind has. */
  #payload(raw: Json | undefined, at: string, message: MessageModel | undefined): Json {
    const wrong = message?.tags.find(({ pointer, equals }) => valueAt(raw, pointer) !== equals)
    if (raw === undefined) this.#contract.refuse(at, 'what is sent to keep the connection alive is missing')
    else if (wrong) {
      this.#contract.refuse(
        at,
        `\`${message?.key}\` has ${JSON.stringify(wrong.equals)} at ${JSON.stringify(wrong.pointer)}`,
      )
    }
    return raw ?? null
  }

  #needBinary(at: string): void {
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
