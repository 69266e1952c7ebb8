import type { Contract } from '../read/contract.ts'
import { isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import type { Definitions } from './definitions.ts'
import { isJson, readMedia } from './media.ts'
import { toTypeName } from './schema-names.ts'
import { readSchema } from './schema.ts'

/** Reads the bodies of webhooks. One that is not a component gets a type of its own: its name and `Payload`. */
export function readWebhooks(contract: Contract, definitions: Definitions): void {
  const webhooks = isObject(contract.root['webhooks']) ? contract.root['webhooks'] : {}
  for (const [name, item] of Object.entries(webhooks)) {
    for (const [method, operation] of Object.entries(isObject(item) ? item : {})) {
      if (!isObject(operation) || operation['requestBody'] === undefined) continue
      const at = childPointer('#/webhooks', name, method, 'requestBody')
      const { raw, pointer } = contract.follow(operation['requestBody'], at)
      const media = isObject(raw) ? readMedia(contract, raw, pointer) : undefined
      if (!media) continue
      if (!isJson(media.contentType))
        contract.widen(media.pointer, `a webhook of the type \`${media.contentType}\` is not read`)
      const place = childPointer(media.pointer, 'schema')
      const schema = readSchema(contract, media.raw['schema'], place)
      if (schema.$ref === undefined) definitions.add(`${toTypeName(name)}Payload`, schema, place, contract)
    }
  }
}
