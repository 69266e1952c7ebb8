import { objectOf } from '@concord/spec-model'

import { type At, child, followed, itemsOf, textOf } from './document.ts'
import type { Findings, Pair, Role, Scope } from './findings.ts'
import { compareFlags } from './marks.ts'
import type { SchemaComparison } from './schema.ts'
import { compareRest, membersOf, presence } from './text.ts'

interface Parameter {
  readonly at: At
  readonly name: string
  readonly place: string
  readonly required: boolean
}

const HANDLED: ReadonlySet<string> = new Set([
  '$ref',
  'allowReserved',
  'deprecated',
  'explode',
  'in',
  'name',
  'required',
  'schema',
  'style',
  'x-secret',
])
const ROLES: Readonly<Record<string, Role>> = {
  cookie: 'cookie',
  header: 'header',
  path: 'path parameter',
}

/** Returns how a parameter is serialized. Missing keywords have default values (OpenAPI 3.1, 4.8.12). */
function writingOf({ at: { value }, place }: Parameter): Readonly<Record<string, unknown>> {
  const said = objectOf(value)
  const style = said['style'] ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple')
  return {
    style,
    explode: said['explode'] ?? style === 'form',
    allowReserved: said['allowReserved'] ?? false,
  }
}

/**
 * Returns a path template without the names of its parameters. These names don't affect the URL.
 */
export function sharedPath(path: string): string {
  return path.replace(/\{[^}]*\}/g, '{}')
}

/**
 * Compares parameters.
 *
 * @param lists for each side, the objects that can contain `parameters`: the path item, then the operation.
 * @param paths the path templates. Path parameters are matched by position, so that a new name counts as a rename.
 */
export function compareParameters(
  comparison: SchemaComparison,
  lists: { readonly base: readonly At[]; readonly next: readonly At[] },
  scope: Scope,
  paths: { readonly base: string; readonly next: string } = { base: '', next: '' },
): void {
  const { findings } = comparison
  const base = parametersOf(lists.base, paths.base)
  const next = parametersOf(lists.next, paths.next)
  const [holder] = [lists.next.at(-1)]
  for (const [key, now] of next) {
    const old = base.get(key)
    if (old) compareParameter(comparison, old, now, scope)
    else if (holder) addedParameter(findings, now, scope, lists.base.at(-1) ?? holder)
  }
  for (const [key, old] of base) {
    if (next.has(key) || !holder) continue
    const gone = { base: old.at, next: { ...child(holder, 'parameters'), value: undefined } }
    findings.add('parameter-removed', gone, inRole(scope, old), { name: old.name })
  }
}

function compareParameter(comparison: SchemaComparison, old: Parameter, now: Parameter, scope: Scope): void {
  const { findings } = comparison
  const pair = { base: old.at, next: now.at }
  const own = inRole(scope, now)
  if (old.name !== now.name) findings.add('parameter-renamed', pair, own, { from: old.name, name: now.name })
  if (old.required !== now.required)
    findings.add(now.required ? 'parameter-required' : 'parameter-optional', pair, own, { name: now.name })
  const isShared = now.at.pointer.startsWith('/components/')
  const home = `the ${own.role} \`${now.name}\`${isShared ? '' : ` of ${scope.home}`}`
  const inner: Scope = { ...own, home, path: '' }
  const isAutomatic = isSentAutomatically(old) && isSentAutomatically(now)
  compareSchemaMember(comparison, pair, isAutomatic ? { ...inner, automatic: true } : inner)
  const writing = { base: writingOf(old), next: writingOf(now) }
  // A new `style` can change the default of `explode`, so only the first difference is reported.
  const changed = Object.keys(writing.next).find((name) => writing.base[name] !== writing.next[name])
  if (changed !== undefined)
    findings.add('parameter-written', membersOf(pair, changed), inner, {
      name: changed,
      from: `\`${String(writing.base[changed])}\``,
      to: `\`${String(writing.next[changed])}\``,
    })
  compareFlags(findings, pair, inner)
  compareRest(findings, pair, inner, HANDLED)
}

/** Compares the schemas of two parameters, headers or media types. */
export function compareSchemaMember(comparison: SchemaComparison, pair: Pair, scope: Scope): void {
  const schema = membersOf(pair, 'schema')
  const there = presence(schema)
  if (there === 'both') comparison.compare(schema, scope)
  else if (there !== 'none') comparison.findings.add('unknown', schema, scope, { name: 'schema' })
}

function addedParameter(findings: Findings, now: Parameter, scope: Scope, holder: At): void {
  const pair = { base: { ...child(holder, 'parameters'), value: undefined }, next: now.at }
  const kind = isSentAutomatically(now) ? 'parameter-added-constant' : 'parameter-added-required'
  findings.add(now.required ? kind : 'parameter-added', pair, inRole(scope, now), { name: now.name })
}

/** Returns whether a parameter is a required header with only one allowed value. Callers don't pass these headers. */
function isSentAutomatically({ at, place, required }: Parameter): boolean {
  const constant = child(followed(child(at, 'schema')), 'const').value
  return place === 'header' && required && typeof constant === 'string'
}

/** Maps keys such as `query cursor` to parameters. A path parameter's key contains its position instead: `path 0`. */
function parametersOf(holders: readonly At[], path: string): Map<string, Parameter> {
  const names = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name)
  const found = new Map<string, Parameter>()
  for (const entry of holders.flatMap((holder) => itemsOf(child(holder, 'parameters')))) {
    const at = followed(entry)
    const name = textOf(child(at, 'name')) ?? ''
    const place = textOf(child(at, 'in')) ?? ''
    const position = place === 'path' ? names.indexOf(name) : -1
    const key = position >= 0 ? String(position) : place === 'header' ? name.toLowerCase() : name
    found.set(`${place} ${key}`, { at, name, place, required: child(at, 'required').value === true })
  }
  return found
}

function inRole(scope: Scope, { place }: Parameter): Scope {
  if (scope.role === 'webhook') return { ...scope, role: 'webhook parameter' }
  return { ...scope, role: ROLES[place] ?? 'query parameter' }
}
