import type { JsonObject } from './json.ts'

/** A member of an object or a list, with the offsets of its name (of itself in a list) and of its value in the text. */
interface Member {
  readonly start: number
  readonly value: number
  /** Found when they are first asked for. */
  members?: ReadonlyMap<string, Member>
}

/** A JSON document, and where its members are in its text. */
export interface JsonText {
  readonly value: JsonObject
  /** The offset of the name of a member, or of an item; undefined if it doesn't exist. */
  offsetOf(segments: readonly string[]): number | undefined
}

/** Documents that are nested deeper than this are left to the reader of YAML, which says so. */
const MAX_DEPTH = 500

/**
 * Reads JSON much faster than a reader of YAML, and with a tenth of its memory. Nothing is found in the text before it is asked for.
 *
 * @returns undefined if it isn't JSON, or JSON that the reader of YAML has a problem with: a name that an object has twice.
 */
export function readJson(text: string): JsonText | undefined {
  if (!/^\s*\{/.test(text)) return undefined
  let value: JsonObject
  try {
    value = JSON.parse(text) as JsonObject
  } catch {
    return undefined
  }
  if (!hasUniqueNames(text)) return undefined
  const root: Member = { start: 0, value: afterSpace(text, 0) }
  return {
    value,
    offsetOf: (segments) => {
      let found: Member | undefined = root
      for (const segment of segments) {
        found = (found.members ??= membersAt(text, found.value)).get(segment)
        if (found === undefined) return undefined
      }
      return found.start
    },
  }
}

/** Whether no object of a JSON text has a name twice, and the nesting isn't too deep. */
function hasUniqueNames(text: string): boolean {
  const namesAbove: Set<string>[] = []
  let names = new Set<string>()
  for (let at = nextToken(text, 0); at < text.length; at = nextToken(text, at)) {
    const token = text[at++]
    if (token === '{' || token === '[') {
      namesAbove.push(names)
      names = new Set()
      if (namesAbove.length > MAX_DEPTH) return false
    } else if (token === '}' || token === ']') names = namesAbove.pop() ?? names
    else if (token === '"') {
      const end = endOfString(text, at - 1)
      if (text[afterSpace(text, end)] === ':') {
        const name = nameAt(text, at - 1, end)
        if (names.has(name)) return false
        names.add(name)
      }
      at = end
    }
  }
  return true
}

/** The members of the value at an offset of valid JSON; none if it is neither an object nor a list. */
function membersAt(text: string, start: number): Map<string, Member> {
  const members = new Map<string, Member>()
  const isObject = text[start] === '{'
  if (!isObject && text[start] !== '[') return members
  const close = isObject ? '}' : ']'
  let at = afterSpace(text, start + 1)
  while (text[at] !== close) {
    const first = at
    let name = String(members.size)
    if (isObject) {
      const end = endOfString(text, at)
      name = nameAt(text, at, end)
      at = afterSpace(text, afterSpace(text, end) + 1)
    }
    members.set(name, { start: first, value: at })
    at = afterSpace(text, endOfValue(text, at))
    if (text[at] === ',') at = afterSpace(text, at + 1)
  }
  return members
}

function endOfValue(text: string, start: number): number {
  if (text[start] === '"') return endOfString(text, start)
  if (text[start] !== '{' && text[start] !== '[') return nextOf(/[\s,\]}]/g, text, start)
  let depth = 0
  let at = start
  do {
    const token = text[at]
    if (token === '"') at = endOfString(text, at)
    else {
      depth += token === '{' || token === '[' ? 1 : -1
      at++
    }
    if (depth > 0) at = nextToken(text, at)
  } while (depth > 0)
  return at
}

/** The offset after a string that begins at an offset. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); ; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0
    while (text[quote - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return quote + 1
  }
}

function nameAt(text: string, start: number, end: number): string {
  const name = text.slice(start + 1, end - 1)
  return name.includes('\\') ? String(JSON.parse(text.slice(start, end))) : name
}

function nextToken(text: string, from: number): number {
  return nextOf(/["[\]{}]/g, text, from)
}

function afterSpace(text: string, from: number): number {
  return nextOf(/\S/g, text, from)
}

/** The offset of the next character that a pattern matches; the length of the text if it matches nothing. */
function nextOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? text.length
}
