/** The route that matches a request or, if no route does, the HTTP methods that the path accepts. */
export type Match<T> =
  | { found: T; parameters: Record<string, string> }
  | { found: undefined; allowedMethods: readonly string[] }

interface Route {
  readonly method: string
  readonly path: string
}

/**
 * Creates a router that compares paths segment by segment. A trailing slash counts as an empty segment. A literal
 * segment takes precedence over a parameter. In a route, the method `*` matches every method, and `{name+}` at the end
 * of the path matches one or more segments.
 */
export function createRouter<T extends Route>(
  routes: readonly T[],
): (method: string, path: string) => Match<T> {
  const table = routes
    .map((route) => ({ route, segments: route.path.split('/').map(readSegment) }))
    .sort((left, right) => compareSegments(left.segments, right.segments))

  return (method, path) => {
    const segments = path.split('/')
    const allowedMethods = new Set<string>()
    for (const { route, segments: template } of table) {
      const parameters = matchSegments(template, segments)
      if (!parameters) continue
      if (route.method === method || route.method === '*') return { found: route, parameters }
      allowedMethods.add(route.method)
    }
    return { found: undefined, allowedMethods: [...allowedMethods] }
  }
}

function matchSegments(
  template: readonly Segment[],
  segments: readonly string[],
): Record<string, string> | undefined {
  const last = template.at(-1)
  const isOpen = last?.takesRest === true && segments.length >= template.length
  if (template.length !== segments.length && !isOpen) return undefined
  const parameters: Record<string, string> = Object.create(null)
  for (const [index, part] of template.entries()) {
    if (part.takesRest) {
      parameters[part.names[0] ?? ''] = segments.slice(index).join('/')
      continue
    }
    const segment = segments[index] ?? ''
    if (!part.pattern) {
      if (part.text !== segment) return undefined
      continue
    }
    const match = part.pattern.exec(decode(segment) ?? '')
    if (!match) return undefined
    for (const [position, name] of part.names.entries()) parameters[name] = match[position + 1] ?? ''
  }
  return parameters
}

/** A segment of a route's path: a literal, or a pattern with parameters. */
interface Segment {
  text: string
  readonly pattern?: RegExp
  readonly names: string[]
  /** Whether the segment matches all remaining segments of a path. The remaining segments aren't decoded. */
  readonly takesRest?: boolean
}

function readSegment(text: string): Segment {
  const rest = /^\{(\w+)\+\}$/.exec(text)?.[1]
  if (rest !== undefined) return { text, names: [rest], pattern: /^/, takesRest: true }
  const names = [...text.matchAll(/\{([^}]+)\}/g)].map((match) => match[1] ?? '')
  if (names.length === 0) return { text, names }
  const literals = text.split(/\{[^}]+\}/).map((literal) => literal.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return { text, names, pattern: new RegExp(`^${literals.join('(.+)')}$`, 's') }
}

function compareSegments(left: readonly Segment[], right: readonly Segment[]): number {
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const difference = openness(left[index]) - openness(right[index])
    if (difference !== 0) return difference
  }
  return 0
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

/** Returns 0 for a literal, 1 for a parameter, and 2 for `{name+}`. Lower numbers take precedence. */
function openness(part: Segment | undefined): number {
  return Number(part?.pattern !== undefined) + Number(part?.takesRest === true)
}
