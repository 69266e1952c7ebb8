import { sameJson } from '@concord/spec-model'

import { type At, child, Contract, keysOf } from './document.ts'
import { compareFacts, compareModels } from './figures.ts'
import { type Change, Findings, type Pair, type Scope } from './findings.ts'
import { compareHttp } from './http.ts'
import { compareFormats } from './formats.ts'
import { SchemaComparison } from './schema.ts'
import { compareSchemes } from './security.ts'
import type { ServicePair, Snapshot } from './snapshot.ts'
import { compareSockets } from './sockets.ts'
import { compareRest, membersOf, withoutText } from './text.ts'
import { exceeds, highest } from './verdict.ts'

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

/** A service's contracts at the base (by default, the last release) and in the working tree. */
interface Contracts {
  readonly base: Contract
  readonly next: Contract
}

export interface Comparison {
  readonly changes: readonly Change[]
  /** The contracts whose changes affect programs, but whose `info.version` is unchanged. */
  readonly keptVersions: readonly { readonly file: string; readonly version: string }[]
}

/**
 * Compares a service's contracts, and the string formats in `formats.json` that these contracts use.
 *
 * @throws PlanError if a contract or `formats.json` can't be read.
 */
export function compareService(service: ServicePair): Comparison {
  const contracts = { base: new Contract(service.base), next: new Contract(service.next) }
  const own = compareFiles(service.name, contracts)
  return {
    changes: [...own, ...compareFormats(service)],
    keptVersions: keptVersions(service.name, contracts, own),
  }
}

function keptVersions(
  name: string,
  { base, next }: Contracts,
  changes: readonly Change[],
): Comparison['keptVersions'] {
  return FILES.map((document) => `${name}/${document}`).flatMap((file) => {
    const hasNews = changes.some(
      ({ place, wire, typescript }) =>
        place.file === `specs/${file}` && exceeds(highest([wire, typescript]), 'patch'),
    )
    if (!hasNews || !base.has(file) || !next.has(file)) return []
    const [was, is] = [base, next].map((contract) => child(contract.root(file), 'info', 'version').value)
    return typeof is === 'string' && was === is ? [{ file: `specs/${file}`, version: is }] : []
  })
}

function compareFiles(name: string, contracts: Contracts): Change[] {
  const findings = new Findings(name)
  const both: Pair[] = []
  for (const document of FILES) {
    const file = `${name}/${document}`
    const [was, is] = [contracts.base.has(file), contracts.next.has(file)]
    const pair = {
      base: was ? contracts.base.root(file) : absent(contracts.base, file),
      next: is ? contracts.next.root(file) : absent(contracts.next, file),
    }
    if (was && is) both.push(pair)
    else if (was || is)
      findings.add(is ? 'contract-added' : 'contract-removed', pair, scopeOf(name), { name: `\`${file}\`` })
  }
  const comparison = new SchemaComparison(findings)
  // Unchanged documents are compared, too, since they may refer to changed ones.
  for (const pair of both) compareDocument(comparison, pair)
  compareTypes(comparison, both)
  const changed = both.find((pair) => !sameJson(pair.base.value, pair.next.value))
  if (changed && findings.isEmpty) findings.add('unused-changed', changed, scopeOf(name))
  return findings.list()
}

/** Returns the one change that is reported for an added or a removed service. */
export function wholeService(
  { name, base, next }: ServicePair,
  kind: 'service-added' | 'service-removed',
): Change[] {
  const findings = new Findings(name)
  const side = (snapshot: Snapshot): At => {
    const files = FILES.map((document) => `${name}/${document}`)
    const file = files.find((one) => snapshot.hashes.has(one))
    return { ...absent(new Contract(snapshot), file ?? `${name}/openapi.yaml`), value: file }
  }
  findings.add(kind, { base: side(base), next: side(next) }, scopeOf(name), { name })
  return findings.list()
}

function absent(contract: Contract, file: string): At {
  return { contract, file, pointer: '', value: undefined }
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

/**
 * Compares the names of schemas, and the schemas that no operation or channel uses. Even an unused schema becomes an
 * exported type.
 */
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
