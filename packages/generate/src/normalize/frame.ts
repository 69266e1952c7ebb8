import type { Contract } from '../read/contract.ts'
import { type Json, type JsonObject, asObject, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { docText } from './docs.ts'
import { isAnnotation } from './keywords.ts'
import { type PlainSchema, rulesKey } from './rules.ts'
import { isBytes } from './schema.ts'
import { walkSchema } from './walk.ts'

/** Whether a schema stands for the bytes of a binary message. */
export function isFrame(raw: Json | undefined): boolean {
  return isObject(raw) && (raw['format'] === 'binary' || isBytes(raw))
}

/** Reads the schema of a binary message. Its keywords can't restrict bytes. */
export function readFrame(contract: Contract, raw: Json, pointer: string): PlainSchema {
  const schema: JsonObject = asObject(raw)
  for (const [key, value] of Object.entries(schema)) {
    if (isAnnotation(key)) continue
    if ((key === 'type' && value === 'string') || (key === 'format' && value === 'binary')) continue
    contract.widen(
      childPointer(pointer, key),
      `\`${key}\` has no effect on a binary message, whose bytes aren't checked; remove it`,
    )
  }
  const description = docText(schema)
  return {
    type: 'string',
    ...(description === undefined ? {} : { description }),
    [rulesKey]: { bytes: true },
  }
}

/** Reports bytes inside a JSON message, which are read as a string. */
export function noteFrames(contract: Contract, raw: Json, pointer: string): void {
  walkSchema(contract, raw, (found) => {
    if (isFrame(found.raw)) {
      const where = found.path.length === 0 ? '' : ` at \`${found.path.join('.')}\``
      contract.note(pointer, `a JSON message can't contain bytes${where}; they are typed as a string`)
    }
  })
}
