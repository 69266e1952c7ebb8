import { parse } from 'yaml'

import { CollectedBytes } from './collected-bytes.ts'
import { ContractError, invalidOptions, reasonOf } from './errors.ts'
import { isObject, type JsonObject } from './json.ts'

const MAX_BYTES = 32 * 1024 * 1024
const TIMEOUT_MS = 30_000

/** Returns whether a source is an http(s) URL, rather than a path. */
export function isAddress(source: string): boolean {
  return /^https?:/i.test(source)
}

/** Makes a source safe to show in messages: removes a URL's query, user name and password, which may be secret. */
export function shownSource(source: string): string {
  return isAddress(source) ? source.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//') : source
}

/** @throws {@link ContractError} if the document can't be fetched, is too large, or isn't an object. */
export async function fetchDocument(address: string, redirect: 'follow' | 'error'): Promise<JsonObject> {
  const shown = shownSource(address)
  const url = URL.parse(address)
  if (url === null) throw unreadable(shown, 'the URL is invalid')
  const { username, password } = url
  // `fetch` would also reject a URL with a user name or password, but its error contains them.
  if (username !== '' || password !== '')
    throw invalidOptions(
      `The URL ${shown} can't be used, because it contains a user name or a password (omitted here).`,
      'Download the document, and use its path instead.',
    )
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  let text: string
  try {
    const response = await fetch(address, { redirect, signal, headers: { accept: '*/*' } })
    if (!response.ok) {
      await response.body?.cancel()
      throw unreadable(shown, `the response has status ${response.status}`)
    }
    text = await bounded(response, shown)
  } catch (cause) {
    if (cause instanceof ContractError) throw cause
    const reason = signal.aborted
      ? `no complete response within ${TIMEOUT_MS / 1000} s`
      : reasonOf((cause as Error).cause ?? cause)
    throw unreadable(shown, reason, cause)
  }
  return parsedDocument(() => text, shown)
}

/** Parses a document in YAML or JSON. @throws {@link ContractError} */
export function parsedDocument(read: () => string, name: string): JsonObject {
  let text: string
  try {
    text = read()
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    throw new ContractError(
      'spec-not-found',
      `${name} can't be read: ${isMissing ? 'the file is missing' : (cause as Error).message}.`,
      isMissing
        ? 'Correct the path that refers to this file.'
        : 'Correct the path that refers to this file, or make the file readable.',
      { cause },
    )
  }
  let document: unknown
  try {
    document = parse(text)
  } catch (cause) {
    throw new ContractError(
      'spec-unreadable',
      `${name} can't be read as YAML or JSON: ${reasonOf(cause)}`,
      'Correct the document.',
      { cause },
    )
  }
  if (!isObject(document)) {
    throw new ContractError(
      'spec-unreadable',
      `The top level of ${name} isn't an object.`,
      'Check that this file is an OpenAPI or AsyncAPI document, or a part of one.',
    )
  }
  return document
}

async function bounded(response: Response, shown: string): Promise<string> {
  const collected = new CollectedBytes()
  for await (const chunk of response.body ?? []) {
    collected.add(chunk)
    if (collected.sizeBytes > MAX_BYTES)
      throw unreadable(shown, `the document exceeds the limit of ${MAX_BYTES / 1024 / 1024} MiB`)
  }
  return Buffer.from(collected.whole()).toString('utf8')
}

function unreadable(shown: string, reason: string, cause?: unknown): ContractError {
  return new ContractError(
    'spec-unreadable',
    `${shown} could not be fetched: ${reason}.`,
    'Check the URL, or download the document and use its path instead.',
    { cause },
  )
}
