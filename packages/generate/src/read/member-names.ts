/** Members whose values are examples and constants, in which nothing is a schema or a reference. */
const DATA = new Set(['const', 'default', 'enum', 'example', 'examples'])

/**
 * Members whose own members have names that the author chose, such as `default`. The `headers` of OpenAPI are one too, but those of
 * AsyncAPI are a schema.
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

/** Whether a member of an object holds data. The names of a map say nothing about what they hold. */
export function isData(key: string, isInMap: boolean): boolean {
  return !isInMap && DATA.has(key)
}

/** Whether a member of an object is a map, whose names the author chose. */
export function isMap(key: string, isInMap: boolean): boolean {
  return !isInMap && MAPS.has(key)
}
