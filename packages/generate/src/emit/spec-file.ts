import { createHash } from 'node:crypto'

import type { ServiceModel } from '../normalize/model.ts'
import { printLiteral } from './literal.ts'
import { filesOf, header } from './text.ts'

/** spec.gen.ts: which contract a package was generated from. */
export function specFile(model: ServiceModel): string {
  const sources = [...filesOf(model), ...model.referred]
  const files = Object.fromEntries(sources.map(({ file, text }) => [file, digest([text])]))
  const spec = {
    title: model.title,
    version: model.version,
    digest: digest(sources.flatMap(({ file, text }) => [file, text])),
    files,
  }
  return (
    `${header(model)}\n` +
    `/** The contract that this package was generated from. The digests are SHA-256, of all files and of each one. */\n` +
    `export const spec = ${printLiteral(spec, '', 1000)} as const\n`
  )
}

function digest(texts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const text of texts) hash.update(text.replaceAll('\r\n', '\n')).update('\0')
  return hash.digest('hex')
}
