/** Members whose values are data. Data contains no schemas or references. */
const DATA = new Set(['const', 'default', 'enum', 'example', 'examples'])

/**
 * Members that are maps. The author of the contract chooses the names in a map, so even `default` can be a name.
 * `headers` isn't listed, because it is a map in OpenAPI, but a schema in AsyncAPI.
 */
const MAPS = new Set([
  '$defs',
  'callbacks',
  'channels',
  'content',
  'definitions',
  'dependentSchemas',
  'encoding',
  'links',
  'messages',
  'operations',
  'parameters',
  'pathItems',
  'paths',
  'patternProperties',
  'properties',
  'requestBodies',
  'responses',
  'schemas',
  'securitySchemes',
  'servers',
  'variables',
  'webhooks',
])

export function isData(key: string, isInMap: boolean): boolean {
  return !isInMap && DATA.has(key)
}

export function isMap(key: string, isInMap: boolean): boolean {
  return !isInMap && MAPS.has(key)
}
