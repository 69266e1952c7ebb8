import { readFile, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

import { parse } from 'yaml'

import { ContractError } from '../errors.ts'
import { isObject, type JsonObject } from './json.ts'
import type { Spec } from './model.ts'
import { readSpec } from './read-spec.ts'

/**
 * Reads an OpenAPI 3.1 document, in YAML or JSON.
 *
 * @param source the path of a file, a `file:` URL, or the name of a service of `@concord/specs`, such as
 *   `extraction`.
 * @throws {@link ContractError} when there is no such document, it cannot be read, or it uses something that the
 *   contract tests would have to guess at.
 * @public
 */
export async function loadSpec(source: string): Promise<Spec> {
  const file = await specFile(source)
  const name = file === source || !isServiceName(source) ? undefined : source
  return readSpec(await readDocument(file), { file, name })
}

/**
 * The path of the file that a source names; see {@link loadSpec}.
 *
 * @public
 */
export async function specFile(
  source: string,
  document: 'openapi.yaml' | 'asyncapi.yaml' = 'openapi.yaml',
): Promise<string> {
  const path = source.startsWith('file:') ? fileURLToPath(source) : resolve(source)
  if (await isFile(path)) return path
  if (isServiceName(source)) {
    try {
      return createRequire(import.meta.url).resolve(`@concord/specs/${source}/${document}`)
    } catch (cause) {
      throw new ContractError(
        'spec-not-found',
        `There is no contract named "${source}" in @concord/specs, and no such file.`,
        `Give the path of a file, or a name that @concord/specs has with ${document}: ${(await namesWith(document)).join(', ')}.`,
        { cause },
      )
    }
  }
  throw new ContractError(
    'spec-not-found',
    `There is no file ${path}.`,
    `Give the path of a file, or a name that @concord/specs has: ${(await namesWith(document)).join(', ')}.`,
  )
}

/** The services that `@concord/specs` has such a document of. */
async function namesWith(document: string): Promise<string[]> {
  const file = createRequire(import.meta.url).resolve('@concord/specs/package.json')
  const { exports } = JSON.parse(await readFile(file, 'utf8')) as { exports: Record<string, unknown> }
  return Object.keys(exports)
    .filter((path) => path.endsWith(`/${document}`))
    .map((path) => path.slice('./'.length, -`/${document}`.length))
    .sort()
}

/** Reads one file of a contract. @throws {@link ContractError} */
export async function readDocument(file: string): Promise<JsonObject> {
  let document: unknown
  try {
    document = parse(await readFile(file, 'utf8'))
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
      `${file} does not hold an object.`,
      'Give an OpenAPI 3.1 document.',
    )
  }
  return document
}

function isServiceName(source: string): boolean {
  return /^[a-z][a-z0-9-]*$/.test(source)
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}
