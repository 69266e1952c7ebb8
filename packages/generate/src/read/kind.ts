import { type JsonObject, asObject } from './json.ts'

export interface ContractKind {
  readonly kind: 'openapi' | 'asyncapi'
  readonly title: string | undefined
}

/** The number of characters that are checked first. */
const START = 4000

/** Matches JSON that doesn't begin with `openapi` or `asyncapi`, for example because its members are sorted. */
const SORTED = /^\s*\{\s*"(?:channels|components|defaultContentType|externalDocs|id|info)"\s*:/

const TITLE = /["']?\binfo\b["']?\s*:[^]*?\btitle["']?\s*:\s*["']?([^"',}\n]+)/

/** Recognizes an OpenAPI or AsyncAPI document. Returns undefined for other files. */
export function contractKind(text: string): ContractKind | undefined {
  const start = text.slice(0, START)
  const found =
    /^\s*(?:\{\s*)?["']?(openapi|asyncapi)["']?\s*:|[{,]\s*"(openapi|asyncapi)"\s*:\s*"[23]/m.exec(start)
  const kind = found?.[1] ?? found?.[2]
  if (kind !== undefined) return kindOf(kind, TITLE.exec(start)?.[1])
  if (SORTED.test(start)) return ofRoot(text)
  const later = /^(openapi|asyncapi)\s*:/m.exec(text)?.[1]
  return later === undefined
    ? undefined
    : kindOf(later, TITLE.exec(text.slice(text.search(/^info\s*:/m)))?.[1])
}

function ofRoot(text: string): ContractKind | undefined {
  let root: JsonObject
  try {
    root = JSON.parse(text) as JsonObject
  } catch {
    return undefined
  }
  const kind = ['openapi', 'asyncapi'].find((name) => typeof root[name] === 'string')
  const { title } = asObject(root['info'])
  return kind === undefined ? undefined : kindOf(kind, typeof title === 'string' ? title : undefined)
}

function kindOf(kind: string, title: string | undefined): ContractKind {
  return { kind: kind === 'openapi' ? 'openapi' : 'asyncapi', title }
}
