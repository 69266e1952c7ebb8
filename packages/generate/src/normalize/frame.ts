import type { ContractNode } from '../read/contract.ts'
import { type Json, isObject } from '../read/json.ts'
import { docText } from './docs.ts'
import { isAnnotation } from './keywords.ts'
import { type PlainSchema, rulesKey } from './rules.ts'
import { isBytes } from './schema.ts'
import { walkSchema } from './walk.ts'

/** Whether a schema describes the bytes of a binary message. */
export function isFrame(raw: Json | undefined): boolean {
  return isObject(raw) && (raw['format'] === 'binary' || isBytes(raw))
}

export function readFrame(schema: ContractNode): PlainSchema {
  for (const [key, value] of Object.entries(schema.raw)) {
    if (isAnnotation(key)) continue
    if ((key === 'type' && value === 'string') || (key === 'format' && value === 'binary')) continue
    schema.widen(
      `\`${key}\` has no effect on a binary message, whose bytes aren't checked; remove \`${key}\``,
      key,
    )
  }
  const description = docText(schema.raw)
  return {
    type: 'string',
    ...(description === undefined ? {} : { description }),
    [rulesKey]: { bytes: true },
  }
}

export function noteFrames(schema: ContractNode): void {
  walkSchema(schema.contract, schema.value, ({ raw, path }) => {
    if (!isFrame(raw)) return
    const where = path.length === 0 ? '' : ` at \`${path.join('.')}\``
    schema.note(`a JSON message can't contain bytes${where}; they are typed as a string`)
  })
}
