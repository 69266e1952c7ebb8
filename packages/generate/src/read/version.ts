import type { JsonObject } from './json.ts'

/** The reason why a document isn't OpenAPI 3, with a remedy; undefined if the document is OpenAPI 3. */
export function openApiProblem(document: JsonObject): string | undefined {
  const { openapi, swagger, asyncapi } = document
  if (typeof openapi === 'string' && /^3\.[012](?:\.|$)/.test(openapi)) return undefined
  if (swagger !== undefined)
    return (
      `this is Swagger ${shown(swagger)}, and only OpenAPI 3.0, 3.1 and 3.2 are read. Convert it, for example with ` +
      '`npx swagger2openapi FILE --outfile openapi.yaml`, and use the path of the result in the config'
    )
  if (asyncapi !== undefined)
    return 'this is an AsyncAPI document; in the config, put it under `asyncapi` instead of `openapi`'
  if (openapi === undefined)
    return 'this is neither an OpenAPI nor an AsyncAPI document: a member such as `openapi: 3.1.0` or `asyncapi: 3.0.0` is missing'
  if (typeof openapi === 'number' && [3, 3.1, 3.2].includes(openapi))
    return `\`openapi: ${openapi}\` is a number; write the whole version, such as \`openapi: ${openapi.toFixed(1)}.0\``
  return `the version is ${shown(openapi)}, and only OpenAPI 3.0, 3.1 and 3.2 are read`
}

/**
 * The reason why a document isn't AsyncAPI 3, with a remedy; undefined if the document is AsyncAPI 3. Documents of
 * older versions are converted before this check.
 */
export function asyncApiProblem(document: JsonObject): string | undefined {
  const { asyncapi, openapi, swagger } = document
  if (typeof asyncapi === 'string' && /^3\.[01]\.\d+/.test(asyncapi)) return undefined
  if (openapi !== undefined || swagger !== undefined)
    return 'this is an OpenAPI document; in the config, put it under `openapi` instead of `asyncapi`'
  if (asyncapi === undefined)
    return 'this is not an AsyncAPI document: a member such as `asyncapi: 3.0.0` is missing'
  if (typeof asyncapi === 'number' && asyncapi >= 1 && asyncapi <= 3.1)
    return `\`asyncapi: ${asyncapi}\` is a number; write the whole version, such as \`asyncapi: ${asyncapi.toFixed(1)}.0\``
  if (/^(?:1\.[0-2]|2\.[0-6]|3\.[01])$/.test(String(asyncapi)))
    return `the version ${shown(asyncapi)} lacks its last number; write \`asyncapi: ${shown(asyncapi)}.0\``
  return `the version is ${shown(asyncapi)}, and only AsyncAPI 1.0 to 2.6, 3.0 and 3.1 are read`
}

function shown(version: unknown): string {
  return typeof version === 'string' ? version.slice(0, 20) : JSON.stringify(version).slice(0, 20)
}
