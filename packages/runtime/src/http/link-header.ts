/**
 * Returns the target of the first link of a relation in a `Link` header, as it is written; `undefined` without one. Links
 * about other resources (`anchor`) don't count. RFC 8288, section 3.
 */
export function linkTarget(header: string, relation: string): string | undefined {
  let at = 0
  while (at < header.length) {
    const start = header.indexOf('<', at)
    const end = start < 0 ? -1 : header.indexOf('>', start)
    if (end < 0) return undefined
    const { parameters, next } = readParameters(header, end + 1)
    const relations = parameters.get('rel')?.toLowerCase().split(/\s+/) ?? []
    if (relations.includes(relation) && !parameters.has('anchor')) return header.slice(start + 1, end).trim()
    at = next
  }
  return undefined
}

/** Reads the parameters of a link, up to the comma that ends it. Of several with one name, the first one counts. */
function readParameters(
  header: string,
  from: number,
): { readonly parameters: ReadonlyMap<string, string>; readonly next: number } {
  const parameters = new Map<string, string>()
  let name = ''
  let value = ''
  let hasValue = false
  let isQuoted = false
  let at = from
  const end = (): void => {
    const key = name.trim().toLowerCase()
    if (key !== '' && !parameters.has(key)) parameters.set(key, value.trim())
    name = value = ''
    hasValue = false
  }
  for (; at < header.length; at++) {
    const character = header[at] as string
    if (isQuoted) {
      if (character === '"') isQuoted = false
      else if (character === '\\') value += header[++at] ?? ''
      else value += character
    } else if (character === ',') break
    else if (character === ';') end()
    else if (character === '=' && !hasValue) hasValue = true
    else if (character === '"' && hasValue) isQuoted = true
    else if (hasValue) value += character
    else name += character
  }
  end()
  return { parameters, next: at + 1 }
}
