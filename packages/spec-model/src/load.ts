import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

import { parse } from 'yaml'

import { inlineFiles, readSocketSpec } from './asyncapi.ts'
import { ContractError } from './errors.ts'
import { isObject, type JsonObject } from './json.ts'
import type { SocketSpec, Spec } from './model.ts'
import { readSpec } from './openapi.ts'

const require = createRequire(import.meta.url)

/**
 * Reads an OpenAPI document (3.0 or 3.1), in YAML or JSON, and the files beside it that it refers to.
 *
 * @param source the path of a file, a `file:` URL, or the name of a service of `@concord/specs`, such as
 *   `extraction`.
 * @throws {@link ContractError} if there is no such document, it can't be read, or it uses something that would have to
 *   be guessed at.
 * @public
 */
export async function loadSpec(source: string): Promise<Spec> {
  return readSpecFile(source)
}

/** As {@link loadSpec}, at once: for code that defines tests. */
export function readSpecFile(source: string): Spec {
  const file = specFile(source)
  const document = inlineFiles(readDocument(file), file, readDocument)
  return readSpec(document, { file, name: serviceName(source, file) })
}

/**
 * Reads an AsyncAPI 3.0 document with WebSocket channels, in YAML or JSON, and the files beside it that it refers to.
 *
 * @param source the path of a file, a `file:` URL, or the name of a service of `@concord/specs`, such as `speech`.
 * @throws {@link ContractError} if there is no such document, it can't be read, or it uses something that would have to
 *   be guessed at.
 * @public
 */
export async function loadSocketSpec(source: string): Promise<SocketSpec> {
  return readSocketSpecFile(source)
}

/** As {@link loadSocketSpec}, at once: for code that defines tests. */
export function readSocketSpecFile(source: string): SocketSpec {
  const file = specFile(source, 'asyncapi.yaml')
  const document = inlineFiles(readDocument(file), file, readDocument)
  return readSocketSpec(document, { file, name: serviceName(source, file) })
}

/**
 * The path of the file that a source names; see {@link loadSpec}.
 *
 * @public
 */
export function specFile(
  source: string,
  document: 'openapi.yaml' | 'asyncapi.yaml' = 'openapi.yaml',
): string {
  const path = source.startsWith('file:') ? fileURLToPath(source) : resolve(source)
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) return path
  const remedy = `Pass the path of a file, or a name that @concord/specs has with ${document}: ${namesWith(document).join(', ')}.`
  if (!isServiceName(source)) throw new ContractError('spec-not-found', `There is no file ${path}.`, remedy)
  try {
    return specsFile(`${source}/${document}`)
  } catch (cause) {
    throw new ContractError(
      'spec-not-found',
      `There is no contract named "${source}" in @concord/specs, and no such file.`,
      remedy,
      { cause },
    )
  }
}

/** The path of a file of `@concord/specs`. @throws Error if it has no such file */
export function specsFile(name: string): string {
  return require.resolve(`@concord/specs/${name}`)
}

/** The services for which `@concord/specs` has such a document. */
function namesWith(document: string): string[] {
  const folder = dirname(require.resolve('@concord/specs/package.json'))
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, document)))
    .toSorted()
}

/** Reads one file of a contract. @throws {@link ContractError} */
export function readDocument(file: string): JsonObject {
  let document: unknown
  try {
    document = parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new ContractError(
      'spec-unreadable',
      `${file} could not be read as YAML or JSON: ${cause instanceof Error ? cause.message : String(cause)}`,
      'Correct the document; a linter for OpenAPI shows the place.',
      { cause },
    )
  }
  if (!isObject(document)) {
    throw new ContractError(
      'spec-unreadable',
      `${file} does not contain an object.`,
      'Pass an OpenAPI or AsyncAPI document.',
    )
  }
  return document
}

function isServiceName(source: string): boolean {
  return /^[a-z][a-z0-9-]*$/.test(source)
}

/** The name of a service if it was asked for by name, and not by the path of a file. */
function serviceName(source: string, file: string): string | undefined {
  return file !== source && isServiceName(source) ? source : undefined
}
