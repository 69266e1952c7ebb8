import { join } from 'node:path'

import { type Json, type JsonObject, asObject, isObject } from '../../src/read/json.ts'
import { readSource } from '../../src/read/source.ts'
import type { Service } from '../../src/services.ts'
import { type OtherBody, contractSchemas, otherBodies } from './contract-schemas.ts'
import { eventSchemas } from './event-schemas.ts'

/** The contracts of a service, read without the code of the generator. */
interface ServiceContract {
  /** A document with the components of all documents of the service. */
  readonly root: JsonObject
  /** The schema in the contract for each generated type. */
  readonly schemas: ReadonlyMap<string, Json>
  /** The types of values that aren't JSON. */
  readonly others: ReadonlyMap<string, OtherBody | 'bytes'>
}

/** Reads the contracts of a service. */
export function serviceContract(service: Service, folder: string): ServiceContract {
  const { value: requests } = readSource(join(folder, service.openapi), service.openapi)
  const schemas = new Map(contractSchemas(requests))
  const components = asObject(requests['components'])
  const named = { ...(components['schemas'] as JsonObject) }
  const others = new Map<string, OtherBody | 'bytes'>(otherBodies(requests))
  if (service.asyncapi !== undefined) {
    const { value: events } = readSource(join(folder, service.asyncapi), service.asyncapi)
    for (const [name, raw] of eventSchemas(events)) {
      schemas.set(name, raw)
      named[name] = raw
      if (
        isObject(raw) &&
        (raw['format'] === 'binary' || raw['contentMediaType'] === 'application/octet-stream')
      )
        others.set(name, 'bytes')
    }
  }
  return { root: { ...requests, components: { ...components, schemas: named } }, schemas, others }
}
