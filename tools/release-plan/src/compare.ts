import { sameJson } from '@concord/spec-model'

import { type At, child, Contract, keysOf } from './document.ts'
import { compareFacts, compareModels } from './figures.ts'
import { type Change, Findings, type Pair, type Scope } from './findings.ts'
import { compareHttp } from './http.ts'
import { SchemaComparison } from './schema.ts'
import { compareSchemes } from './security.ts'
import type { Snapshot } from './snapshot.ts'
import { compareSockets } from './sockets.ts'
import { compareRest, membersOf, withoutText } from './text.ts'

/** The contracts of a service at the base and in the tree. */
export interface ServicePair {
  readonly name: string
  readonly base: Snapshot
  readonly next: Snapshot
}

const FILES = ['openapi.yaml', 'asyncapi.yaml'] as const
const ROOT_HANDLED: ReadonlySet<string> = new Set([
  'channels',
  'components',
  'defaultContentType',
  'info',
  'operations',
  'paths',
  'security',
  'servers',
  'webhooks',
  'x-facts',
  'x-models',
])

/** Compares the contracts of a service. @throws PlanError if one of them can't be read */
export function compareService({ name, base, next }: ServicePair): Change[] {
  const findings = new Findings(name)
  const comparison = new SchemaComparison(findings)
  const contracts = { base: new Contract(base), next: new Contract(next) }
  const both: Pair[] = []
  for (const document of FILES) {
    const file = `${name}/${document}`
    const scope = scopeOf(`\`${file}\``)
    const [was, is] = [contracts.base.has(file), contracts.next.has(file)]
    if (!was && !is) continue
    const absent = (contract: Contract): At => ({
      contract,
      file: firstFile(contract, name),
      pointer: '',
      value: undefined,
    })
    const pair = {
      base: was ? contracts.base.root(file) : absent(contracts.base),
      next: is ? contracts.next.root(file) : absent(contracts.next),
    }
    if (was && is) both.push(pair)
    else findings.add(is ? 'contract-added' : 'contract-removed', pair, scope, { name: `\`${file}\`` })
  }
  for (const pair of both) compareDocument(comparison, pair)
  compareTypes(comparison, both)
  const found = findings.list()
  if (found.length > 0 || both.every(({ base: one, next: other }) => sameJson(one.value, other.value)))
    return found
  const changed = both.find(({ base: one, next: other }) => !sameJson(one.value, other.value))
  if (changed) findings.add('unused-changed', changed, scopeOf(name))
  return findings.list()
}

/** The one change of a service that only one side has. */
export function wholeService(
  { name, base, next }: ServicePair,
  kind: 'service-added' | 'service-removed',
): Change[] {
  const findings = new Findings(name)
  const side = (snapshot: Snapshot): At => {
    const contract = new Contract(snapshot)
    return {
      contract,
      file: firstFile(contract, name),
      pointer: '',
      value: contract.has(firstFile(contract, name)) || undefined,
    }
  }
  findings.add(kind, { base: side(base), next: side(next) }, scopeOf(name), { name })
  return findings.list()
}

function firstFile(contract: Contract, name: string): string {
  const files = FILES.map((document) => `${name}/${document}`)
  return files.find((file) => contract.has(file)) ?? files[0] ?? name
}

function compareDocument(comparison: SchemaComparison, roots: Pair): void {
  const { findings } = comparison
  const scope = scopeOf(`\`${roots.next.file}\``)
  if (keysOf(roots.next).includes('asyncapi')) compareSockets(comparison, roots)
  else compareHttp(comparison, roots)
  compareSchemes(findings, roots, scope)
  compareFacts(findings, membersOf(roots, 'x-facts'), scope)
  compareModels(findings, membersOf(roots, 'x-models'), scope)
  compareRest(findings, membersOf(roots, 'info'), scope, new Set())
  compareRest(findings, roots, scope, ROOT_HANDLED)
}

/** Compares the named schemas: their names are types, also of those that nothing on the wire uses. */
function compareTypes(comparison: SchemaComparison, documents: readonly Pair[]): void {
  const { findings } = comparison
  for (const roots of documents) {
    const scope = scopeOf(`\`${roots.next.file}\``)
    const schemas = membersOf(roots, 'components', 'schemas')
    const base = keysOf(schemas.base)
    const next = keysOf(schemas.next)
    const added = next.filter((name) => !base.includes(name))
    const same = (one: At, other: At): boolean => sameJson(withoutText(one.value), withoutText(other.value))
    for (const name of base.filter((one) => !next.includes(one))) {
      const old = child(schemas.base, name)
      const candidates = added.filter((other) => same(old, child(schemas.next, other)))
      const [to] = candidates
      if (candidates.length === 1 && to !== undefined) {
        added.splice(added.indexOf(to), 1)
        findings.add('type-renamed', { base: old, next: child(schemas.next, to) }, scope, {
          from: name,
          name: to,
        })
      } else findings.add('type-removed', { base: old, next: child(schemas.next, name) }, scope, { name })
    }
    for (const name of added)
      findings.add(
        'type-added',
        { base: child(schemas.base, name), next: child(schemas.next, name) },
        scope,
        { name },
      )
    for (const name of next.filter(
      (one) => base.includes(one) && !comparison.hasReached(child(schemas.next, one)),
    ))
      for (const role of ['request', 'response'] as const)
        comparison.compare(membersOf(schemas, name), { ...scope, role, unused: true })
  }
}

function scopeOf(home: string): Scope {
  return { role: 'request', user: '', home, path: '' }
}
