import { parse } from 'yaml'

import { ContractError } from './errors.ts'
import { isObject, type JsonObject } from './json.ts'

/** The largest document that is read from an address. */
const MAX_BYTES = 32 * 1024 * 1024
/** The longest time for one document. */
const TIMEOUT_MS = 30_000

/** Whether a source is an http(s) address, rather than a path. */
export function isAddress(source: string): boolean {
  return /^https?:/i.test(source)
}

/** A source as it may be shown: an address without its query, user name and password, which may be a credential. */
export function shownSource(source: string): string {
  return isAddress(source) ? source.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//') : source
}

/** Fetches one document of a contract. @throws {@link ContractError} if it doesn't come, is too large, or isn't an object. */
export async function fetchDocument(address: string, redirect: 'follow' | 'error'): Promise<JsonObject> {
  const shown = shownSource(address)
  const { username, password } = new URL(address)
  // `fetch` rejects it too, with an error that repeats them.
  if (username !== '' || password !== '')
    throw new ContractError(
      'invalid-options',
      `The address ${shown} can't have a user name and a password.`,
      'Download the document, and pass its path.',
    )
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  let text: string
  try {
    const response = await fetch(address, { redirect, signal, headers: { accept: '*/*' } })
    if (!response.ok) {
      await response.body?.cancel()
      throw unreadable(shown, `the answer has status ${response.status}`)
    }
    text = await bounded(response, shown)
  } catch (cause) {
    if (cause instanceof ContractError) throw cause
    const reason = signal.aborted ? `no answer within ${TIMEOUT_MS / 1000} s` : reasonOf(cause)
    throw unreadable(shown, reason, cause)
  }
  return parsedDocument(() => text, shown)
}

/** A document from its text, in YAML or JSON. @throws {@link ContractError} */
export function parsedDocument(read: () => string, name: string): JsonObject {
  let document: unknown
  try {
    document = parse(read())
  } catch (cause) {
    throw new ContractError(
      'spec-unreadable',
      `${name} could not be read as YAML or JSON: ${cause instanceof Error ? cause.message : String(cause)}`,
      'Correct the document; a linter for OpenAPI shows the place.',
      { cause },
    )
  }
  if (!isObject(document)) {
    throw new ContractError(
      'spec-unreadable',
      `${name} does not contain an object.`,
      'Pass an OpenAPI or AsyncAPI document.',
    )
  }
  return document
}

async function bounded(response: Response, shown: string): Promise<string> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.byteLength
    if (sizeBytes > MAX_BYTES)
      throw unreadable(shown, `it has more than ${MAX_BYTES / 1024 / 1024} MiB, the most that is read`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function unreadable(shown: string, reason: string, cause?: unknown): ContractError {
  return new ContractError(
    'spec-unreadable',
    `${shown} could not be fetched: ${reason}.`,
    'Check the address, or download the document and pass its path.',
    { cause },
  )
}

function reasonOf(error: unknown): string {
  const cause = (error as { readonly cause?: unknown }).cause ?? error
  return cause instanceof Error ? cause.message : String(cause)
}
