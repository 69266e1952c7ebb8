import { objectAt, resolved } from '../document.ts'
import type { Json, JsonObject } from '../document.ts'

/** The pairs of an endpoint and a model that the schemas of the requests list. */
export function modelPairs(document: JsonObject): string[] {
  return Object.keys(objectAt(document, 'paths')).flatMap((endpoint) =>
    modelsOf(document, endpoint).map((model) => `${endpoint} ${model}`),
  )
}

/** The schema of the body that is posted to an endpoint. */
function bodyOf(document: JsonObject, endpoint: string): JsonObject {
  const post = objectAt(objectAt(objectAt(document, 'paths'), endpoint), 'post')
  const content = objectAt(objectAt(objectAt(post, 'requestBody'), 'content'), 'application/json')
  return resolved(document, objectAt(content, 'schema'))
}

/** The models that an endpoint lists. */
function modelsOf(document: JsonObject, endpoint: string): string[] {
  const model = resolved(document, objectAt(objectAt(bodyOf(document, endpoint), 'properties'), 'model'))
  return model['x-open-enum'] === true ? strings(model['enum']) : []
}

const strings = (value: Json | undefined): string[] => (Array.isArray(value) ? value.map(String) : [])
