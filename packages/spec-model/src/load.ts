import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

import { inlineFiles, readSocketSpec } from './asyncapi.ts'
import { ContractError, unsupportedSpec } from './errors.ts'
import { fetchDocument, isAddress, parsedDocument, shownSource } from './fetch-document.ts'
import type { JsonObject } from './json.ts'
import type { SocketSpec, Spec } from './model.ts'
import { asAsyncApi3, isAsyncApi2 } from './old-asyncapi.ts'
import { readSpec } from './openapi.ts'

const require = createRequire(import.meta.url)

/** Options for reading a contract. @public */
export interface LoadOptions {
  /**
   * The hosts from which referenced documents may be fetched. If the contract itself is read from a URL, the host of
   * this URL is always allowed. Default: an empty list, so a contract can't cause requests to hosts that you didn't
   * choose.
   */
  readonly allowHosts?: readonly string[]
}

/**
 * Reads an OpenAPI document (3.0, 3.1 or 3.2), in YAML or JSON, and the documents that it refers to.
 *
 * @param source a file path, a `file:` URL, an http(s) URL, or the name of a service in `@concord/specs`, such as
 *   `extraction`.
 * @throws {@link ContractError} if the document doesn't exist, can't be read, or uses an unsupported feature.
 * @public
 */
export async function loadSpec(source: string, options: LoadOptions = {}): Promise<Spec> {
  const { document, file } = await loadDocument(source, 'openapi.yaml', options)
  return readSpec(document, { file, name: serviceName(source, file) })
}

/** Like {@link loadSpec}, but synchronous, because code that defines tests can't await. Doesn't support URLs. */
export function readSpecFile(source: string): Spec {
  const file = specFile(source)
  const document = inlineFiles(readDocument(file), file, readDocument)
  return readSpec(document, { file, name: serviceName(source, file) })
}

/**
 * Reads an AsyncAPI document with WebSocket channels, in YAML or JSON, and the documents that it refers to. For
 * AsyncAPI 2, install the package `@asyncapi/converter`, which converts the document to 3.0.
 *
 * @param source a file path, a `file:` URL, an http(s) URL, or the name of a service in `@concord/specs`, such as
 *   `speech`.
 * @throws {@link ContractError} if the document doesn't exist, can't be read, or uses an unsupported feature.
 * @public
 */
export async function loadSocketSpec(source: string, options: LoadOptions = {}): Promise<SocketSpec> {
  const { document, file } = await loadDocument(source, 'asyncapi.yaml', options)
  return toSocketSpec(source, document, file)
}

/** Like {@link loadSocketSpec}, but synchronous. Doesn't support URLs. */
export function readSocketSpecFile(source: string): SocketSpec {
  const file = specFile(source, 'asyncapi.yaml')
  return toSocketSpec(source, inlineFiles(readDocument(file), file, readDocument), file)
}

function toSocketSpec(source: string, document: JsonObject, file: string): SocketSpec {
  const current = isAsyncApi2(document) ? asAsyncApi3(document, file) : document
  return readSocketSpec(current, { file, name: serviceName(source, file) })
}

/** Loads a document and inlines everything that it refers to. */
async function loadDocument(
  source: string,
  kind: 'openapi.yaml' | 'asyncapi.yaml',
  { allowHosts = [] }: LoadOptions,
): Promise<{ readonly document: JsonObject; readonly file: string }> {
  const file = isAddress(source) ? source : specFile(source, kind)
  const fetched = new Map<string, JsonObject>()
  if (isAddress(source)) fetched.set(source, await fetchDocument(source, 'follow'))
  const hosts = isAddress(source) ? [...allowHosts, new URL(source).host] : allowHosts
  const first = fetched.get(source) ?? readDocument(file)
  for (;;) {
    const missing = new Set<string>()
    const whole = inlineFiles(first, file, readDocument, (address) => {
      const known = fetched.get(address)
      if (known === undefined) missing.add(address)
      return known ?? {}
    })
    if (missing.size === 0) return { document: whole, file: shownSource(file) }
    for (const address of missing) {
      checkHost(address, hosts, file)
      // A redirect is an error here, because it could lead to a host that isn't allowed.
      fetched.set(address, await fetchDocument(address, 'error'))
    }
  }
}

function checkHost(address: string, hosts: readonly string[], file: string): void {
  const { host, hostname } = new URL(address)
  if (hosts.includes(host) || hosts.includes(hostname)) return
  throw unsupportedSpec(
    `The contract ${shownSource(file)} refers to ${shownSource(address)}, whose host isn't allowed.`,
    `Allow the host (\`--allow-host ${host}\` or \`allowHosts\`), or put all documents of the contract into one folder.`,
  )
}

/**
 * Returns the path of the file that `source` refers to; see {@link loadSpec}.
 *
 * @public
 */
export function specFile(
  source: string,
  document: 'openapi.yaml' | 'asyncapi.yaml' = 'openapi.yaml',
): string {
  const path = source.startsWith('file:') ? fileURLToPath(source) : resolve(source)
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) return path
  const remedy = `Pass the path of a file, or the name of a contract in @concord/specs that has an ${document}: ${serviceNames(document).join(', ')}.`
  if (!isServiceName(source)) throw new ContractError('spec-not-found', `File not found: ${path}.`, remedy)
  try {
    return specsFile(`${source}/${document}`)
  } catch (cause) {
    throw new ContractError(
      'spec-not-found',
      `"${source}" is neither a contract in @concord/specs that has an ${document}, nor a file.`,
      remedy,
      { cause },
    )
  }
}

/** Returns the path of a file in `@concord/specs`. @throws Error if the file doesn't exist. */
export function specsFile(name: string): string {
  return require.resolve(`@concord/specs/${name}`)
}

/** Returns the names of the services for which `@concord/specs` has this document. */
export function serviceNames(document: 'openapi.yaml' | 'asyncapi.yaml'): string[] {
  const folder = dirname(require.resolve('@concord/specs/package.json'))
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, document)))
    .toSorted()
}

/** Reads a file of a contract. @throws {@link ContractError} */
export function readDocument(file: string): JsonObject {
  return parsedDocument(() => readFileSync(file, 'utf8'), file)
}

function isServiceName(source: string): boolean {
  return /^[a-z][a-z0-9-]*$/.test(source)
}

/** Returns `source` if it is the name of a service, not the path of a file. */
function serviceName(source: string, file: string): string | undefined {
  return isServiceName(source) && resolve(source) !== file ? source : undefined
}
