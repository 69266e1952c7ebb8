import type { Contract, ContractNode } from '../read/contract.ts'
import { isJson, readMedia } from './media.ts'
import { toTypeName } from './definitions.ts'
import { readSchema } from './schema.ts'

/** Reads the bodies of webhooks. A body without a named schema gets the type `<Webhook>Payload`. */
export function readWebhooks(contract: Contract): void {
  const webhooks = contract.root.at('webhooks').members()
  for (const [name, item] of webhooks) readPayloads(item, name)
}

/**
 * Reads the bodies of an operation's callbacks. A body without a named schema gets the type
 * `<Operation><Callback>Payload`.
 */
export function readCallbacks(operation: ContractNode, id: string): void {
  for (const [key, callback] of operation.at('callbacks').members())
    for (const [expression, item] of callback.follow().members())
      if (!expression.startsWith('x-')) readPayloads(item, `${id} ${key}`)
}

/** Reads the bodies of the requests that the service sends for a webhook or callback. */
function readPayloads(item: ContractNode, name: string): void {
  for (const [method, operation] of item.follow().members()) {
    if (method === 'parameters') noteParameters(operation)
    if (!operation.isObject) continue
    noteParameters(operation.at('parameters'))
    if (operation.raw['requestBody'] === undefined) continue
    const body = operation.at('requestBody').follow()
    const media = body.isObject ? readMedia(body) : undefined
    if (!media) continue
    if (!isJson(media.contentType)) {
      media.node.widen(
        `the generator supports only JSON for the body of a webhook, not \`${media.contentType}\``,
      )
      continue
    }
    const place = media.node.at('schema')
    const schema = readSchema(place)
    if (schema.$ref === undefined) place.define(`${toTypeName(name)}Payload`, schema)
  }
}

/**
 * Notes that no code is generated for the parameters of a webhook or callback. Does nothing in strict mode: there, a
 * note would be an error, although the client works without these parameters.
 */
function noteParameters(list: ContractNode): void {
  if (list.contract.isStrict) return
  for (const parameter of list.items())
    parameter.note(
      'no code is generated for the parameters of a webhook, such as a signature in a header; check the parameters in the code that receives the webhook',
    )
}
