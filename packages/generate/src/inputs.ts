import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { posix, resolve } from 'node:path'

import { GenerationError } from './problems.ts'
import type { Source } from './read/source.ts'

/** Whether an input is an http(s) address, rather than a path. */
export function isAddress(input: string): boolean {
  return /^https?:/i.test(input)
}

/** The name of an input in messages and in generated files: without the query of an address, which may hold a credential. */
export function nameOf(input: string): string {
  if (!isAddress(input)) return posix.normalize(input.replaceAll('\\', '/'))
  return input.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//')
}

/** Options of reading. */
export interface InputsOptions {
  /** The folder that paths are relative to. */
  readonly root: string
  /** Hosts that may be asked for documents that a contract refers to. */
  readonly allowHosts?: readonly string[]
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch
  /** Called with each input before it is read. */
  readonly onInput?: (input: string) => void
}

/** The largest document that is read from an address. */
const MAX_BYTES = 32 * 1024 * 1024
/** The longest time for one document. */
const TIMEOUT_MS = 30_000

/** Reads the inputs of a service, each one once, and remembers which ones there were. */
export class Inputs {
  readonly #options: InputsOptions
  readonly #texts = new Map<string, Promise<string>>()
  /** The hosts of the addresses that the config names. */
  readonly #hosts = new Set<string>()
  /** The digests of everything that was read, by path or address; null for what could not be read. */
  readonly #digests = new Map<string, string | null>()

  constructor(options: InputsOptions) {
    this.#options = options
  }

  /** The inputs in the order in which they were asked for, each with the digest of its text; null if it could not be read. */
  get digests(): readonly (readonly [input: string, digest: string | null])[] {
    return [...this.#digests]
  }

  /**
   * Reads a document that the config names, as it is written.
   *
   * @throws GenerationError if it can't be read
   */
  async readTree(input: string): Promise<Source> {
    const text = await this.text(input)
    const { parseTree } = await reader()
    return parseTree(text, nameOf(input))
  }

  /**
   * Reads a document that a contract refers to.
   *
   * @throws GenerationError if it can't be read, or if its host isn't allowed
   */
  async readReferred(input: string): Promise<Source> {
    const text = await this.referredText(input)
    const { parseSource } = await reader()
    return parseSource(text, nameOf(input))
  }

  /** The text of a document that a contract refers to. */
  async referredText(input: string): Promise<string> {
    if (!isAddress(input)) return this.text(input)
    const { hostname, host } = new URL(input)
    const { allowHosts = [] } = this.#options
    if (![...allowHosts, ...this.#hosts].some((allowed) => allowed === hostname || allowed === host))
      throw unreadable(
        input,
        `it isn't fetched: a contract decides about addresses only if the config allows their hosts. Add ${JSON.stringify(host)} ` +
          'to `allowHosts`, or download the document',
      )
    // Another host that this one leads to isn't allowed.
    return this.#once(input, () => this.#fetch(input, 'error'))
  }

  /** The text of an input that the config names. */
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

  async #file(path: string): Promise<string> {
    try {
      return await readFile(resolve(this.#options.root, path), 'utf8')
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      const reason =
        code === 'ENOENT' ? `the file doesn't exist in ${this.#options.root}; correct the path` : message
      throw unreadable(path, `it can't be read: ${reason}`)
    }
  }

  async #fetch(address: string, redirect: 'follow' | 'error'): Promise<string> {
    const { fetch = globalThis.fetch } = this.#options
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    try {
      const response = await fetch(address, { redirect, signal, headers: { accept: '*/*' } })
      if (!response.ok) {
        await response.body?.cancel()
        throw unreadable(address, `it answered with status ${response.status}`)
      }
      return await bounded(response, address)
    } catch (error) {
      if (error instanceof GenerationError) throw error
      const cause = (error as { readonly cause?: unknown }).cause ?? error
      const reason = signal.aborted
        ? `no answer within ${TIMEOUT_MS / 1000} s`
        : String((cause as Error).message ?? cause)
      throw unreadable(address, `it can't be fetched: ${reason}`)
    }
  }
}

/** The reader of YAML is loaded only when something has changed. */
const reader = () => import('./read/source.ts')

async function bounded(response: Response, address: string): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > MAX_BYTES)
      throw unreadable(address, `it has more than ${MAX_BYTES / 1024 / 1024} MiB, the most that is read`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function unreadable(input: string, reason: string): GenerationError {
  return new GenerationError([{ place: { file: nameOf(input), pointer: '#' }, reason }])
}

/** The SHA-256 of a string. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
