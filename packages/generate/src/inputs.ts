import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { posix, resolve } from 'node:path'

import { GenerationError } from './problems.ts'
import { MAX_BYTES, TOO_LARGE, decodeDocument } from './read/decode.ts'
import type { Source } from './read/source.ts'

/** Whether an input is an http(s) URL rather than a path. */
export function isAddress(input: string): boolean {
  return /^https?:/i.test(input)
}

/** Returns an input's name for messages and generated files, without the parts of a URL that may be secret. */
export function nameOf(input: string): string {
  if (!isAddress(input)) return posix.normalize(input.replaceAll('\\', '/'))
  return input.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//')
}

interface InputsOptions {
  /** The folder that paths are relative to. */
  readonly root: string
  /** Hosts from which a `$ref` can load documents, in addition to the hosts of the URLs in the config. */
  readonly allowHosts?: readonly string[]
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch
  /** Called with each input before it is read. */
  readonly onInput?: (input: string) => void
}

const TIMEOUT_MS = 30_000

/** Reads each input of a service once, and records its digest. */
export class Inputs {
  readonly #options: InputsOptions
  readonly #texts = new Map<string, Promise<string>>()
  /** The hosts of the URLs in the config. */
  readonly #hosts = new Set<string>()
  readonly #digests = new Map<string, string | null>()

  constructor(options: InputsOptions) {
    this.#options = options
  }

  /** The inputs in the order of their first use. The digest is null if the input couldn't be read. */
  get digests(): readonly (readonly [input: string, digest: string | null])[] {
    return [...this.#digests]
  }

  /**
   * Reads a document that is named in the config. Doesn't convert its schemas to JSON Schema 2020-12.
   *
   * @throws GenerationError if it can't be read
   */
  async readTree(input: string): Promise<Source> {
    const text = await this.text(input)
    const { parseTree } = await reader()
    return withAddress(parseTree(text, this.#fileOf(input)), input)
  }

  /**
   * Reads a document that a contract refers to.
   *
   * @throws GenerationError if it can't be read, or if its host isn't allowed
   */
  async readReferred(input: string): Promise<Source> {
    const text = await this.referredText(input)
    const { parseSource } = await reader()
    return withAddress(parseSource(text, this.#fileOf(input)), input)
  }

  /** Like {@link nameOf}, but URLs that differ only in their queries get different names. */
  #fileOf(input: string): string {
    const name = nameOf(input)
    if (!isAddress(input)) return name
    const same = [...this.#texts.keys()].filter((other) => nameOf(other) === name)
    const index = same.indexOf(input)
    return index > 0 ? `${name} (${index + 1})` : name
  }

  /** Returns the content of a document that a contract refers to. */
  async referredText(input: string): Promise<string> {
    if (!isAddress(input)) return this.text(input)
    const { hostname, host } = new URL(input)
    const { allowHosts = [] } = this.#options
    if (![...allowHosts, ...this.#hosts].some((allowed) => allowed === hostname || allowed === host))
      throw unreadable(
        input,
        `the document isn't fetched, because the config doesn't allow its host. Add ${JSON.stringify(host)} to ` +
          '`allowHosts`, or download the document and refer to the copy',
      )
    // A redirect could lead to a host that isn't allowed, so redirects are errors.
    return this.#once(input, () => this.#fetch(input, 'error'))
  }

  /** Returns the content of an input that is named in the config. */
  text(input: string): Promise<string> {
    if (!isAddress(input)) return this.#once(input, () => this.#file(input))
    this.#hosts.add(new URL(input).host)
    return this.#once(input, () => this.#fetch(input, 'follow'))
  }

  #once(input: string, read: () => Promise<string>): Promise<string> {
    const known = this.#texts.get(input)
    if (known) return known
    this.#digests.set(input, null)
    this.#options.onInput?.(input)
    const text = read().then((content) => {
      this.#digests.set(input, digestOf(content))
      return content
    })
    this.#texts.set(input, text)
    return text
  }

  async #file(input: string): Promise<string> {
    const path = resolve(this.#options.root, input)
    try {
      const found = await stat(path)
      // Reading a pipe or a device could take forever.
      if (!found.isFile())
        throw unreadable(
          input,
          `it is ${found.isDirectory() ? 'a folder' : 'a pipe or a device'}, not a file`,
        )
      if (found.size > MAX_BYTES) throw unreadable(input, TOO_LARGE)
      // Files in /proc have size 0 but may never end, so no file of size 0 is read.
      return textOf(found.size === 0 ? new Uint8Array() : await readFile(path), input)
    } catch (error) {
      if (error instanceof GenerationError) throw error
      throw unreadable(input, reasonOf(error as NodeJS.ErrnoException, this.#options.root))
    }
  }

  async #fetch(address: string, redirect: 'follow' | 'error'): Promise<string> {
    const { fetch = globalThis.fetch } = this.#options
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    try {
      const response = await fetch(address, { redirect, signal, headers: { accept: '*/*' } })
      if (!response.ok) {
        await response.body?.cancel()
        throw unreadable(address, `the server responded with status ${response.status}`)
      }
      return await bounded(response, address)
    } catch (error) {
      if (error instanceof GenerationError) throw error
      const cause = (error as { readonly cause?: unknown }).cause ?? error
      const reason = signal.aborted
        ? `no complete response within ${TIMEOUT_MS / 1000} s`
        : String((cause as Error).message ?? cause)
      throw unreadable(address, `the document can't be fetched: ${reason}`)
    }
  }
}

function withAddress(source: Source, input: string): Source {
  return isAddress(input) && input.includes('?') ? { ...source, address: input } : source
}

/** Loads the YAML parser on demand, because a run for an unchanged service doesn't need the parser. */
const reader = () => import('./read/source.ts')

async function bounded(response: Response, address: string): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > MAX_BYTES) throw unreadable(address, TOO_LARGE)
    chunks.push(chunk)
  }
  return textOf(Buffer.concat(chunks), address)
}

function reasonOf({ code, message }: NodeJS.ErrnoException, root: string): string {
  if (code === 'ENOENT') return `the file doesn't exist in ${root}; correct the path`
  return code === 'ELOOP'
    ? 'it is a symbolic link that leads back to itself'
    : `the file can't be read: ${message}`
}

function textOf(bytes: Uint8Array, input: string): string {
  const decoded = decodeDocument(bytes)
  if ('reason' in decoded) throw unreadable(input, decoded.reason)
  return decoded.text
}

function unreadable(input: string, reason: string): GenerationError {
  return new GenerationError([{ place: { file: nameOf(input), pointer: '#' }, reason }])
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
