import { readDocument, specFile } from '../../spec/load-spec.ts'
import { inlineFiles } from './inline-files.ts'
import type { SocketSpec } from './model.ts'
import { readSocketSpec } from './read-socket-spec.ts'

/**
 * Reads an AsyncAPI 3.0 document with WebSocket channels, in YAML or JSON, and the files beside it that it refers to.
 *
 * @param source the path of a file, a `file:` URL, or the name of a service of `@concord/specs`, such as `speech`.
 * @throws {@link ContractError} when there is no such document, it cannot be read, or it uses something that the
 *   contract tests would have to guess at.
 * @public
 */
export async function loadSocketSpec(source: string): Promise<SocketSpec> {
  const file = await specFile(source, 'asyncapi.yaml')
  const document = await inlineFiles(await readDocument(file), file, readDocument)
  return readSocketSpec(document, { file, name: /^[a-z][a-z0-9-]*$/.test(source) ? source : undefined })
}
