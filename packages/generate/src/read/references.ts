import { GenerationError, type Problem } from '../problems.ts'
import { addressOf, fileOf, selfOf } from './documents.ts'
import { fromDraft07 } from './draft-07.ts'
import { type JsonObject, isObject } from './json.ts'
import { childPointer } from './pointer.ts'
import type { Source } from './source.ts'
import { isOpenApi30, upgraded } from './upgrade.ts'
import { walkDocument } from './walk-document.ts'

/** Most documents that the references of a contract are followed to. */
const MAX_DOCUMENTS = 500

/** The documents that a contract refers to. */
export interface Referred {
  readonly others: readonly Source[]
  /** The references that lead to nothing that could be read, and why. */
  readonly unread: readonly Problem[]
}

/**
 * Reads all documents that some documents refer to, directly or through others, each of them once.
 *
 * A relative reference leads wherever its path leads, also outside of the folder of the contract, and through symbolic links.
 * One that is an absolute path or a `file:` address isn't followed: it would mean something else on each machine.
 *
 * @param read - Reads a document by its path, relative to the same folder as the files of the sources, or by its http(s)
 *   address. It decides which addresses may be read.
 */
export async function readReferences(
  sources: readonly Source[],
  read: (input: string) => Promise<Source>,
): Promise<Referred> {
  const others: Source[] = []
  const unread: Problem[] = []
  /** By address: everything that was read, and schemas that have an address of their own. */
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
        reason: `\`${withoutQuery(text)}\` can't be followed: ${reason}`,
      })
    }
  }
  for (const source of sources) await visit(source, source)
  return { others, unread }
}

/** A reference as messages show it: a query may have a credential. */
export function withoutQuery(reference: string): string {
  return reference.replace(/\?[^#]*/, '').replace(/\/\/[^/]*@/, '//')
}

function inputOf(address: string, text: string): { readonly path: string } | { readonly reason: string } {
  const file = fileOf(address)
  if (file !== undefined && !/^[/\\]|^file:/i.test(text)) return { path: file }
  if (/^https?:/i.test(address)) return { path: address }
  return { reason: 'only a path relative to this file, or an http(s) address, is followed' }
}

interface Reference {
  /** Where it leads, without a fragment. */
  readonly address: string
  readonly pointer: string
  readonly text: string
}

/** The references in a document that lead out of it. */
function referencesIn(source: Source): readonly Reference[] {
  const found: Reference[] = []
  walk(source, (raw, pointer, base) => {
    const text = raw['$ref']
    if (typeof text !== 'string' || text.startsWith('#')) return
    try {
      const address = new URL(text, base).href.replace(/#.*$/s, '')
      found.push({ address, pointer: childPointer(pointer, '$ref'), text })
    } catch {
      // The reader of the place reports that it is empty.
    }
  })
  return found
}

/** Adds the addresses that a document and the schemas in it have. */
function namesIn(source: Source, names: Set<string>): void {
  names.add(addressOf(source))
  const self = selfOf(source)
  if (self !== undefined) names.add(self)
  walk(source, (_, __, base) => names.add(base.replace(/#.*$/s, '')))
}

function walk(source: Source, visit: (raw: JsonObject, pointer: string, base: string) => void): void {
  walkDocument(source.value, { pointer: '#', base: addressOf(source) }, visit)
}

/** A part of a contract is in the words of the contract. */
function inWordsOf(root: Source, part: Source): Source {
  const isWhole = part.value['openapi'] !== undefined || part.value['asyncapi'] !== undefined
  if (isWhole || !isObject(part.value)) return part
  if (isOpenApi30(root.value)) return { ...part, value: upgraded(part.value) }
  return root.value['asyncapi'] === undefined ? part : { ...part, value: fromDraft07(part.value) }
}
