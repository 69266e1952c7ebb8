import { GenerationError, type Unread } from '../problems.ts'
import { addressOf, fileOf, selfOf } from './documents.ts'
import { fromDraft07 } from './draft-07.ts'
import { type JsonObject, isObject } from './json.ts'
import { childPointer } from './pointer.ts'
import type { Source } from './source.ts'
import { isOpenApi30, upgraded } from './upgrade.ts'
import { walkDocument } from './walk-document.ts'

const MAX_DOCUMENTS = 500

/** The documents that a contract refers to. */
export interface Referred {
  readonly others: readonly Source[]
  /** One problem for each reference to a document that couldn't be read. */
  readonly unread: readonly Unread[]
}

/**
 * Reads all documents that the sources refer to, directly or through other documents. Reads each document only once.
 *
 * A relative reference may lead anywhere, including outside of the contract's folder and through symbolic links. An
 * absolute path or a `file:` URL isn't followed, because it would mean a different file on each machine.
 *
 * @param read - Reads a document by its http(s) URL, or by its path. The path is relative to the same folder as the
 *   paths of the sources. Throws if the URL isn't allowed.
 */
export async function readReferences(
  sources: readonly Source[],
  read: (input: string) => Promise<Source>,
): Promise<Referred> {
  const others: Source[] = []
  const unread: Unread[] = []
  /** The addresses of all documents that were read, and of schemas with their own address. */
  const known = new Set(sources.map(addressOf))
  for (const source of sources) namesIn(source, known)
  const failed = new Map<string, string>()
  const visit = async (source: Source, root: Source): Promise<void> => {
    for (const { address, pointer, text } of referencesIn(source)) {
      if (known.has(address)) continue
      let reason = failed.get(address)
      if (reason === undefined && others.length >= MAX_DOCUMENTS)
        reason = `no more than ${MAX_DOCUMENTS} documents are read for one contract`
      const input = reason === undefined ? inputOf(address, text) : undefined
      if (input !== undefined && 'path' in input) {
        known.add(address)
        try {
          const found = inWordsOf(root, await read(input.path))
          others.push(found)
          namesIn(found, known)
          await visit(found, root)
          continue
        } catch (error) {
          if (!(error instanceof GenerationError)) throw error
          known.delete(address)
          reason = error.problems[0]?.reason ?? error.message
        }
      }
      reason ??= input && 'reason' in input ? input.reason : ''
      failed.set(address, reason)
      unread.push({
        place: source.place(pointer),
        at: { file: source.file, pointer },
        reason: `\`${withoutQuery(text)}\` can't be followed: ${reason}`,
      })
    }
  }
  for (const source of sources) await visit(source, source)
  return { others, unread }
}

/** A reference as messages show it: without the parts that may contain credentials. */
export function withoutQuery(reference: string): string {
  return reference.replace(/\?[^#]*/, '').replace(/\/\/[^/]*@/, '//')
}

function inputOf(address: string, text: string): { readonly path: string } | { readonly reason: string } {
  const file = fileOf(address)
  if (file !== undefined && !/^[/\\]|^file:/i.test(text)) return { path: file }
  if (/^https?:/i.test(address)) return { path: address }
  return { reason: 'a reference to another file must be an http(s) address, or a path relative to this file' }
}

interface Reference {
  /** The address of the target, without its fragment. */
  readonly address: string
  readonly pointer: string
  readonly text: string
}

/** The references in a document that lead to other documents. */
function referencesIn(source: Source): readonly Reference[] {
  const found: Reference[] = []
  walk(source, (raw, pointer, base) => {
    const text = raw['$ref']
    if (typeof text !== 'string' || text.startsWith('#')) return
    try {
      const address = new URL(text, base).href.replace(/#.*$/s, '')
      found.push({ address, pointer: childPointer(pointer, '$ref'), text })
    } catch {
      // A reference that isn't a valid address is reported later, when its target is looked up.
    }
  })
  return found
}

/** Adds the addresses of a document and of the schemas in it. */
function namesIn(source: Source, names: Set<string>): void {
  names.add(addressOf(source))
  const self = selfOf(source)
  if (self !== undefined) names.add(self)
  walk(source, (_, __, base) => names.add(base.replace(/#.*$/s, '')))
}

function walk(source: Source, visit: (raw: JsonObject, pointer: string, base: string) => void): void {
  walkDocument(source.value, { pointer: '#', base: addressOf(source) }, visit)
}

/** Converts a document that has no version as if it had the contract's version. */
function inWordsOf(root: Source, part: Source): Source {
  const isWhole = part.value['openapi'] !== undefined || part.value['asyncapi'] !== undefined
  if (isWhole || !isObject(part.value)) return part
  if (isOpenApi30(root.value)) return { ...part, value: upgraded(part.value) }
  return root.value['asyncapi'] === undefined ? part : { ...part, value: fromDraft07(part.value) }
}
