import { createHash } from 'node:crypto'

import type { ServiceModel } from '../normalize/model.ts'
import { asObject, isList, isObject } from '../read/json.ts'
import { printLiteral } from './literal.ts'
import { comment, filesOf, header } from './text.ts'

/**
 * `used` is the number of characters before the value on its line. The default is so large that each member of the
 * value is printed on its own line.
 */
function constant(name: string, value: unknown, doc: readonly string[], used = 1000): string {
  return `${comment(doc)}export const ${name} = ${printLiteral(value, '', used)} as const\n`
}

/** enums.gen.ts: the enums whose values have names in the contract. */
export function enumsFile(model: ServiceModel): string | undefined {
  if (model.enums.length === 0) return undefined
  const constants = model.enums.map(({ name, type, values }) =>
    constant(name, values, [`The values of \`${type}\`, by name.`]),
  )
  return [header(model), ...constants].join('\n')
}

/** facts.gen.ts: the facts of a contract (`x-facts`), each as a constant. */
export function factsFile(model: ServiceModel): string | undefined {
  const [contract] = model.sources
  const facts = contract?.value['x-facts']
  if (contract === undefined || !isObject(facts)) return undefined
  const constants = Object.entries(facts).map(([name, fact]) => {
    const { description, value } = asObject(fact)
    const doc = [String(description), `@see \`${contract.file}#/x-facts/${name}\``]
    return constant(name, value, doc, name.length + 24)
  })
  return [header(model), ...constants].join('\n')
}

/** models.gen.ts: the table of models of a contract (`x-models`), as plain data. */
export function modelsFile(model: ServiceModel): string | undefined {
  const [contract] = model.sources
  const rows = contract?.value['x-models']
  if (contract === undefined || !isList(rows)) return undefined
  const table = Object.fromEntries(
    rows.filter(isObject).map(({ model: name, ...row }) => [String(name), row] as const),
  )
  const doc = [
    'The models that the contract lists, with the endpoints, the input, the requirements and the cost of each.',
    `@see \`${contract.file}#/x-models\`\n@public`,
  ]
  return `${header(model)}\n${constant('models', table, doc)}`
}

/** security.gen.ts: for each OAuth 2.0 or OpenID Connect scheme, the flows and URLs for getting tokens. */
export function securityFile(model: ServiceModel): string | undefined {
  const schemes = model.schemes.filter(
    ({ flows, openIdConnectUrl }) => flows !== undefined || openIdConnectUrl !== undefined,
  )
  if (schemes.length === 0) return undefined
  const table = Object.fromEntries(
    schemes.map(({ name, type, flows, openIdConnectUrl }) => [name, { type, flows, openIdConnectUrl }]),
  )
  const doc = [
    'The flows of each OAuth 2.0 scheme, and the URL of each OpenID Connect provider. To get access tokens, pass a flow or a URL to the functions of `@concord/runtime/session`.',
    '@public',
  ]
  return `${header(model)}\n${constant('securitySchemes', table, doc)}`
}

/** spec.gen.ts: the title and the version of the contract, and the digests of its files. */
export function specFile(model: ServiceModel): string {
  const sources = [...filesOf(model), ...model.referred]
  const spec = {
    title: model.title,
    version: model.version,
    digest: digest(sources.flatMap(({ file, text }) => [file, text])),
    files: Object.fromEntries(sources.map(({ file, text }) => [file, digest([text])])),
  }
  const doc =
    '/** The contract that this package was generated from. `digest` is the SHA-256 of all files; `files` has the digest of each. */\n'
  return `${header(model)}\n${doc}${constant('spec', spec, [])}`
}

function digest(texts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const text of texts) hash.update(text.replaceAll('\r\n', '\n')).update('\0')
  return hash.digest('hex')
}
