import { arrayOf, atPointer, escapeToken, isObject, type JsonObject } from '@concord/spec-model'
import { LineCounter, isMap, isNode, isScalar, isSeq, parseDocument, type Document } from 'yaml'

import { PlanError } from './plan-error.ts'
import type { Snapshot } from './snapshot.ts'

/** A value in a contract, and its location. */
export interface At {
  readonly contract: Contract
  /** The path in `@concord/specs`, such as `media/openapi.yaml`. */
  readonly file: string
  /** A JSON pointer (RFC 6901). */
  readonly pointer: string
  readonly value: unknown
}

/** A location in a file, to show to people. */
export interface Place {
  /** The path from the root of the repository, such as `specs/media/openapi.yaml`. */
  readonly file: string
  readonly pointer: string
  readonly line: number
}

interface Parsed {
  readonly value: JsonObject
  line(pointer: string): number
}

const MAX_REFERENCES = 50

/** The files of a snapshot. Each file is parsed on first use. */
export class Contract {
  readonly #snapshot: Snapshot
  readonly #parsed = new Map<string, Parsed>()

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot
  }

  has(file: string): boolean {
    return this.#snapshot.hashes.has(file)
  }

  /** Returns the root value of a file. @throws {@link PlanError} if the file isn't a YAML or JSON object. */
  root(file: string): At {
    return { contract: this, file, pointer: '', value: this.#parse(file).value }
  }

  /** Returns the location of a pointer. If it leads to nothing, the line is that of the nearest existing parent. */
  place(file: string, pointer: string): Place {
    return { file: `specs/${file}`, pointer, line: this.has(file) ? this.#parse(file).line(pointer) : 1 }
  }

  describe({ file, pointer }: Pick<At, 'file' | 'pointer'>): string {
    const place = this.place(file, pointer)
    return `${place.file}:${place.line} (#${pointer}) of ${this.#snapshot.label}`
  }

  #parse(file: string): Parsed {
    const known = this.#parsed.get(file)
    if (known) return known
    const parsed = parse(this.#snapshot.read(file), `specs/${file} of ${this.#snapshot.label}`)
    this.#parsed.set(file, parsed)
    return parsed
  }
}

function parse(text: string, name: string): Parsed {
  const lines = new LineCounter()
  const fail = (line: number, message: string): never => {
    throw new PlanError(
      `specs can't be compared: ${name.replace(' of', `:${line} of`)} is not valid: ${message}.`,
      'Correct the contract; `npm run generate` checks it, too.',
    )
  }
  try {
    const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true })
    const [error] = document.errors
    if (error)
      fail(lines.linePos(error.pos[0]).line, error.message.split('\n')[0]?.replace(/[.:]?$/, '') ?? '')
    const value: unknown = document.toJS()
    if (!isObject(value)) return fail(1, 'it is not an object')
    return {
      value,
      line: (pointer) => {
        const tokens = tokensOf(pointer)
        for (let length = tokens.length; length > 0; length -= 1) {
          const start = startOf(document, tokens.slice(0, length))
          if (start !== undefined) return lines.linePos(start).line
        }
        return 1
      },
    }
  } catch (cause) {
    if (cause instanceof PlanError) throw cause
    const message = cause instanceof RangeError ? 'it is nested too deeply' : String((cause as Error).message)
    return fail(1, message)
  }
}

/** Returns the offset, in the text, of a list item or of a member's key. */
function startOf(document: Document, tokens: readonly string[]): number | undefined {
  const holder: unknown = tokens.length === 1 ? document.contents : document.getIn(tokens.slice(0, -1), true)
  const name = tokens.at(-1)
  const key = isMap(holder)
    ? holder.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === name)?.key
    : undefined
  const node: unknown = isSeq(holder) ? holder.items[Number(name)] : key
  return isNode(node) ? node.range?.[0] : undefined
}

function tokensOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Returns a member of an object or a list. If the member doesn't exist, the value of the result is undefined. */
export function child(at: At, ...tokens: readonly (string | number)[]): At {
  let { value, pointer } = at
  for (const token of tokens) {
    const own = Array.isArray(value) || isObject(value) ? Object.hasOwn(value, token) : false
    value = own ? (value as JsonObject)[token] : undefined
    pointer += `/${escapeToken(String(token))}`
  }
  return { ...at, pointer, value }
}

export function keysOf({ value }: At): string[] {
  return isObject(value) ? Object.keys(value) : []
}

export function itemsOf(at: At): At[] {
  return arrayOf(at.value).map((_, index) => child(at, index))
}

export function textOf({ value }: At): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/**
 * Follows references.
 *
 * @throws {@link PlanError} if a reference leads out of the service's folder, leads to nothing, or is circular.
 */
export function followed(at: At): At {
  let current = at
  for (let count = 0; isObject(current.value) && typeof current.value['$ref'] === 'string'; count += 1) {
    const reference = current.value['$ref']
    if (count === MAX_REFERENCES)
      throw new PlanError(
        `The reference ${reference} at ${at.contract.describe(at)} is circular.`,
        "Refer to an object that isn't a reference itself.",
      )
    current = target(current, reference)
  }
  return current
}

function target(at: At, reference: string): At {
  const [path = '', pointer = ''] = reference.split('#')
  const folder = at.file.slice(0, at.file.lastIndexOf('/') + 1)
  const file = path === '' ? at.file : folder + path.replace(/^\.\//, '')
  if (!at.contract.has(file))
    throw new PlanError(
      `The reference ${reference} at ${at.contract.describe(at)} leads to no contract of the same service.`,
      'Refer to openapi.yaml or asyncapi.yaml in the same folder.',
    )
  const decoded = unescaped(pointer)
  const value = decoded === undefined ? undefined : atPointer(at.contract.root(file).value, decoded)
  if (decoded === undefined || value === undefined)
    throw new PlanError(
      `The reference ${reference} at ${at.contract.describe(at)} leads to nothing.`,
      'Correct the pointer, or add its target.',
    )
  return { contract: at.contract, file, pointer: decoded, value }
}

/** Decodes the fragment of a URI (RFC 6901, section 6); returns undefined if its escapes are invalid. */
function unescaped(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return undefined
  }
}
