import type { ServiceModel } from '../normalize/model.ts'
import { printLiteral } from './literal.ts'
import { comment, header } from './text.ts'

/** security.gen.ts: where tokens come from, for each OAuth 2.0 and OpenID Connect scheme; undefined without any. */
export function securityFile(model: ServiceModel): string | undefined {
  const schemes = model.schemes.filter(
    ({ flows, openIdConnectUrl }) => flows !== undefined || openIdConnectUrl !== undefined,
  )
  if (schemes.length === 0) return undefined
  const table = Object.fromEntries(
    schemes.map(({ name, type, flows, openIdConnectUrl }) => [name, { type, flows, openIdConnectUrl }]),
  )
  return (
    `${header(model)}\n` +
    comment([
      'Where the tokens of the contract come from: the flows of each OAuth 2.0 scheme with their addresses and scopes, and the addresses of OpenID Connect providers. For the functions of `@concord/runtime/session`.',
      '@public',
    ]) +
    `export const securitySchemes = ${printLiteral(table, '', 1000)} as const\n`
  )
}
