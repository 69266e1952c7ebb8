import type { JsonObject } from '@concord/spec-model'

import { loadPrism, prismLogger, type PrismConfig, type PrismServer } from '../src/http/prism-library.ts'

/** Starts Prism without our guard. */
export async function rawPrism(
  document: object,
  config: Partial<PrismConfig> = {},
): Promise<{ readonly server: PrismServer; readonly address: string; readonly log: string[] }> {
  const library = await loadPrism()
  const operations = await library.getHttpOperationsFromSpec(structuredClone(document))
  const log: string[] = []
  const logger = prismLogger((level, message) => log.push(`${level}: ${message}`))
  const server = library.createServer(operations, {
    cors: false,
    components: { logger },
    config: {
      isProxy: false,
      checkSecurity: true,
      validateRequest: true,
      validateResponse: true,
      errors: false,
      mock: { dynamic: false },
      ...config,
    },
  })
  return { server, address: await server.listen(0, '127.0.0.1'), log }
}

/** An OpenAPI 3.1 document with one operation, `POST /do`. */
export function oneOperation(operation: object, extra: object = {}): JsonObject {
  return {
    openapi: '3.1.0',
    info: { title: 'One operation', version: '1' },
    servers: [{ url: 'http://localhost' }],
    paths: { '/do': { post: { operationId: 'doIt', ...operation } } },
    ...extra,
  }
}

/** A 200 whose JSON body has this schema. */
export function responses(schema: object, example?: unknown): object {
  return {
    '200': {
      description: 'ok',
      content: {
        'application/json': {
          schema,
          ...(example === undefined ? {} : { examples: { one: { value: example } } }),
        },
      },
    },
  }
}
