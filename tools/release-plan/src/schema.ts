import { isObject, objectOf, sameJson } from '@concord/spec-model'

import { type At, child, followed, itemsOf } from './document.ts'
import { isSameDiscriminator } from './discriminator.ts'
import { compareFields } from './fields.ts'
import { type Findings, type Pair, type Scope, within } from './findings.ts'
import { compareLimits, LIMITS } from './limits.ts'
import { compareMarks } from './marks.ts'
import { matched, type Matching } from './matching.ts'
import { meant, writtenOut } from './parts.ts'
import { PlanError } from './plan-error.ts'
import { compareRest, membersOf, presence, withoutText } from './text.ts'
import { compareTypes, compareValues } from './values.ts'

/** Deeper nesting is a mistake or an attack. */
const MAX_DEPTH = 100

/**
 * The keywords for which rules exist. Changes to all other keywords count as breaking, except for descriptions and
 * examples.
 */
const HANDLED: ReadonlySet<string> = new Set([
  ...LIMITS,
  '$ref',
  'additionalProperties',
  'allOf',
  'anyOf',
  'const',
  'default',
  'deprecated',
  'discriminator',
  'enum',
  'items',
  'oneOf',
  'properties',
  'required',
  'type',
  'x-open-enum',
  'x-secret',
  'x-transitions',
])
const UNION: readonly string[] = ['anyOf', 'oneOf']

/** Compares schemas. Two schemas are compared only once per combination of `Scope.role` and `Scope.user`. */
export class SchemaComparison {
  readonly findings: Findings
  readonly #visited = new Set<string>()
  readonly #reached = new Set<string>()

  constructor(findings: Findings) {
    this.findings = findings
  }

  /** Returns whether `compare` has reached a schema of the new contract. */
  hasReached({ file, pointer }: At): boolean {
    return this.#reached.has(`${file} ${pointer}`)
  }

  /** @throws {@link PlanError} if the schemas are nested too deeply. */
  compare(pair: Pair, scope: Scope, depth = 0): void {
    if (depth > MAX_DEPTH)
      throw new PlanError(
        `The schema at ${pair.next.contract.describe(pair.next)} is nested more than ${MAX_DEPTH} levels deep.`,
        'Nest the schema less deeply.',
      )
    const target = { base: meant(pair.base), next: meant(pair.next) }
    const isReference = target.base !== pair.base || target.next !== pair.next
    if (isReference) compareRest(this.findings, pair, scope, HANDLED)
    if (isReferenceBesideUnion(pair, target)) return this.#compareSchemas(pair, scope, depth)
    const { base, next } = target
    const key = JSON.stringify([base.file, base.pointer, next.file, next.pointer, scope.role, scope.user])
    if (this.#visited.has(key)) return
    this.#visited.add(key)
    this.#reached.add(`${target.next.file} ${target.next.pointer}`)
    const name = componentName(target.next)
    this.#compareSchemas(target, name ? { ...scope, home: `\`${name}\``, path: '' } : scope, depth)
  }

  #compareSchemas(whole: Pair, scope: Scope, depth: number): void {
    const pair = comparable(whole)
    const base = branchesOf(pair.base)
    const next = branchesOf(pair.next)
    if (base && next) {
      this.#compareBranches(base, next, pair, { scope, depth })
      this.#compareOne(pair, scope, depth)
    } else if (base && isOnlyUnion(pair.base) && !isAnything(pair.next.value))
      this.#compareBranches(base, nullApart(pair.next), pair, { scope, depth })
    else if (next && isOnlyUnion(pair.next) && !isAnything(pair.base.value))
      this.#compareBranches(nullApart(pair.base), next, pair, { scope, depth })
    else {
      if (next) this.findings.add('part-added', pair, scope, { name: 'one of several alternatives' })
      if (base) this.findings.add('part-removed', pair, scope, { name: 'one of several alternatives' })
      this.#compareOne(pair, scope, depth)
    }
  }

  #compareOne(pair: Pair, scope: Scope, depth: number): void {
    const { findings } = this
    if (compareTypes(findings, pair, scope)) {
      compareValues(findings, pair, scope)
      compareLimits(findings, pair, scope)
      compareFields(this, pair, scope, depth)
      this.#compareItems(membersOf(pair, 'items'), within(scope, '[]'), depth)
    }
    this.#compareParts(membersOf(pair, 'allOf'), scope, depth)
    if (!isSameDiscriminator(pair))
      findings.add('discriminator-changed', membersOf(pair, 'discriminator'), scope)
    compareMarks(findings, pair, scope)
    compareRest(findings, pair, scope, HANDLED)
  }

  #compareItems(items: Pair, scope: Scope, depth: number): void {
    const there = presence(items)
    if (there === 'both') this.compare(items, scope, depth + 1)
    else if (there === 'added' && !isAnything(items.next.value))
      this.findings.add('items-limited', items, scope)
    else if (there === 'removed' && !isAnything(items.base.value))
      this.findings.add('items-freed', items, scope)
  }

  #compareParts({ base, next }: Pair, scope: Scope, depth: number): void {
    const { pairs, removed, added } = matchedSchemas(itemsOf(base), itemsOf(next))
    for (const pair of pairs) this.compare(pair, scope, depth + 1)
    for (const part of added)
      this.findings.add('part-added', { base, next: part }, scope, { name: nameOf(part) })
    for (const part of removed)
      this.findings.add('part-removed', { base: part, next }, scope, { name: nameOf(part) })
  }

  #compareBranches(
    base: readonly At[],
    next: readonly At[],
    whole: Pair,
    { scope, depth }: { readonly scope: Scope; readonly depth: number },
  ): void {
    const { pairs, removed, added } = matchedSchemas(base, next)
    for (const pair of pairs) this.compare(pair, scope, depth + 1)
    const missing = (at: At): At => ({ ...at, value: undefined })
    for (const branch of added) {
      const place = { base: missing(whole.base), next: branch }
      if (isNull(branch)) this.findings.add('type-widened', place, scope, { values: '`null`' })
      else this.findings.add('branch-added', place, scope, { name: nameOf(branch) })
    }
    for (const branch of removed) {
      const place = { base: branch, next: whole.next }
      if (isNull(branch)) this.findings.add('type-narrowed', place, scope, { values: '`null`' })
      else this.findings.add('branch-removed', place, scope, { name: nameOf(branch) })
    }
  }
}

export function componentName({ pointer }: At): string | undefined {
  return /^\/components\/schemas\/([^/]+)$/.exec(pointer)?.[1]
}

function branchesOf(at: At): At[] | undefined {
  const keyword = UNION.find((key) => Array.isArray(objectOf(at.value)[key]))
  return keyword === undefined ? undefined : itemsOf(child(at, keyword))
}

/** Returns whether one side is a union, and the other side is a reference to a schema that isn't a union. */
function isReferenceBesideUnion(pair: Pair, target: Pair): boolean {
  const [base, next] = [branchesOf(pair.base), branchesOf(pair.next)]
  if (base && !next) return target.next !== pair.next && branchesOf(target.next) === undefined
  return (
    next !== undefined &&
    base === undefined &&
    target.base !== pair.base &&
    branchesOf(target.base) === undefined
  )
}

/** If the `allOf` parts of the two sides don't match one to one, joins the parts of each side, if possible. */
function comparable(pair: Pair): Pair {
  const parts = membersOf(pair, 'allOf')
  const { removed, added } = matchedSchemas(itemsOf(parts.base), itemsOf(parts.next))
  if (removed.length === 0 && added.length === 0) return pair
  const [base, next] = [writtenOut(pair.base), writtenOut(pair.next)]
  return base && next ? { base, next } : pair
}

/** Splits a nullable type in two: `type: [string, 'null']` means the same as an `anyOf` of `string` and `null`. */
function nullApart(at: At): At[] {
  const { type, ...others } = objectOf(at.value)
  if (!Array.isArray(type) || !type.includes('null') || type.length !== 2 || 'enum' in others) return [at]
  const [only] = type.filter((one) => one !== 'null')
  return [
    { ...at, value: { type: only, ...others } },
    { ...at, value: { type: 'null' } },
  ]
}

function isNull({ value }: At): boolean {
  return objectOf(value)['type'] === 'null'
}

function isOnlyUnion({ value }: At): boolean {
  return Object.keys(objectOf(withoutText(value))).every((key) => UNION.includes(key))
}

/** Returns whether a schema accepts every value. */
function isAnything(schema: unknown): boolean {
  return schema === true || (isObject(schema) && Object.keys(objectOf(withoutText(schema))).length === 0)
}

/**
 * Two schemas match if they have the same reference or content. Of the remaining schemas, two match if each is the
 * only one of its type in its list.
 */
function matchedSchemas(base: readonly At[], next: readonly At[]): Matching<At> {
  const isOnlyOfType = (list: readonly At[], at: At): boolean =>
    list.filter((one) => typeOf(one) === typeOf(at)).length === 1
  return matched(
    base,
    next,
    (one, other) => referenceOf(one) !== undefined && referenceOf(one) === referenceOf(other),
    (one, other) => sameJson(withoutText(one.value), withoutText(other.value)),
    (one, other, { removed, added }) =>
      typeOf(one) === typeOf(other) && isOnlyOfType(removed, one) && isOnlyOfType(added, other),
  )
}

function referenceOf({ value }: At): unknown {
  return objectOf(value)['$ref']
}

function typeOf(at: At): string {
  return JSON.stringify([referenceOf(at), objectOf(at.value)['type']])
}

function nameOf(at: At): string {
  const name = componentName(followed(at))
  if (name !== undefined) return `\`${name}\``
  const { type, const: only } = objectOf(at.value)
  if (only !== undefined) return `\`${JSON.stringify(only)}\``
  return typeof type === 'string' ? `\`${type}\`` : 'a schema without a name'
}
