import type { Contract } from '../read/contract.ts'
import { type Json, type JsonObject, asObject, isList, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { isJson, readMedia } from './media.ts'
import { toTypeName } from './definitions.ts'
import { readSchema } from './schema.ts'

/** Reads the bodies of webhooks. A body that isn't a component gets the type `<Webhook>Payload`. */
export function readWebhooks(contract: Contract): void {
  const webhooks = asObject(contract.root['webhooks'])
  for (const [name, item] of Object.entries(webhooks))
    readPayloads(contract, { item, pointer: childPointer('#/webhooks', name), name })
}

/**
 * Reads the bodies of the callbacks of an operation. A body that isn't a component gets the type
 * `<Operation><Callback>Payload`.
 */
export function readCallbacks(
  contract: Contract,
  { id, raw, pointer }: { readonly id: string; readonly raw: JsonObject; readonly pointer: string },
): void {
  const callbacks = asObject(raw['callbacks'])
  for (const [key, entry] of Object.entries(callbacks)) {
    const callback = contract.follow(entry, childPointer(pointer, 'callbacks', key))
    for (const [expression, item] of Object.entries(asObject(callback.raw))) {
      if (expression.startsWith('x-')) continue
      const place = childPointer(callback.pointer, expression)
      readPayloads(contract, { item, pointer: place, name: `${id} ${key}` })
    }
  }
}

/** A path item that the service calls. */
interface Called {
  readonly item: Json
  readonly pointer: string
  readonly name: string
}

function readPayloads(contract: Contract, called: Called): void {
  const { raw: item, pointer: start } = contract.follow(called.item, called.pointer)
  for (const [method, operation] of Object.entries(asObject(item))) {
    if (method === 'parameters') noteParameters(contract, operation, childPointer(start, method))
    if (!isObject(operation)) continue
    noteParameters(contract, operation['parameters'], childPointer(start, method, 'parameters'))
    if (operation['requestBody'] === undefined) continue
    const at = childPointer(start, method, 'requestBody')
    const { raw, pointer } = contract.follow(operation['requestBody'], at)
    const media = isObject(raw) ? readMedia(contract, raw, pointer) : undefined
    if (!media) continue
    if (!isJson(media.contentType)) {
      contract.widen(media.pointer, `only JSON webhooks get a schema, not \`${media.contentType}\``)
      continue
    }
    const place = childPointer(media.pointer, 'schema')
    const schema = readSchema(contract, media.raw['schema'], place)
    if (schema.$ref === undefined) contract.define(`${toTypeName(called.name)}Payload`, schema, place)
  }
}

/**
 * Notes the parameters of a webhook, which code that receives it has to check. Strict mode has nothing to reject,
 * because no client sends them.
 */
function noteParameters(contract: Contract, list: Json | undefined, pointer: string): void {
  if (contract.isStrict) return
  for (const index of isList(list) ? list.keys() : [])
    contract.note(
      childPointer(pointer, index),
      'no code is generated for the parameters of a webhook, such as a signature in a header; check them in the code that receives it',
    )
}
