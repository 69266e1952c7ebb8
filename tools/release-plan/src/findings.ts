import type { At, Place } from './document.ts'
import { plain } from './plain.ts'
import { type Kind, type Rule, rules } from './rules/index.ts'
import { byVerdict, highest, type Verdict } from './verdict.ts'

/** The kinds of things that a client sends or receives. `Change.message` contains these strings. */
export type Role =
  | 'request'
  | 'response'
  | 'webhook'
  | 'webhook response'
  | 'client message'
  | 'server message'
  | 'query'
  | 'path parameter'
  | 'query parameter'
  | 'cookie'
  | 'header'
  | 'response header'
  | 'error header'
  | 'webhook parameter'

const RECEIVED: ReadonlySet<Role> = new Set<Role>([
  'response',
  'webhook',
  'server message',
  'response header',
  'error header',
  'webhook parameter',
])

/** In these roles, only a named schema becomes a type. In all other roles, unnamed schemas become types, too. */
const UNTYPED: ReadonlySet<Role> = new Set<Role>(['error header', 'webhook parameter', 'webhook response'])

/** Describes a compared place in a contract. */
export interface Scope {
  readonly role: Role
  /** The operation, webhook or channel that uses this place. */
  readonly user: string
  /** The type or contract part that contains the place, such as `` `Task` `` or "the response 200 of `getTask`". */
  readonly home: string
  /** The path from `home`, such as `.output[].url`. */
  readonly path: string
  /** Whether the place is in a schema that no operation or channel uses. */
  readonly unused?: true
  /** Whether clients send the value without the caller passing it. */
  readonly automatic?: true
}

/** Values for the placeholders in the sentence of a rule (`Rule.says`). */
export type Details = { readonly [Name in 'name' | 'from' | 'to' | 'values' | 'change']?: string }

/** A change to a contract. */
export interface Change {
  readonly kind: Kind
  readonly service: string
  /** Describes the change. */
  readonly message: string
  /** The effect of the change on programs. */
  readonly why: string
  /** How breaking the change is for programs built on the old contract, if the service follows the new one. */
  readonly wire: Verdict
  /** How breaking the change is for code that was written for the old client and now uses the new one. */
  readonly typescript: Verdict
  readonly reach: Rule['reach']
  /** Whether the change affects a name that is also in the emulator's interface. */
  readonly named: boolean
  /** The changed place in the working tree. If it was removed, the line is that of the nearest existing parent. */
  readonly place: Place
  /** The place at the base, if it existed there. */
  readonly was?: Place
  /** The operations, webhooks and channels that use the place. */
  readonly usedBy: readonly string[]
}

/** Returns a place's name in `Change.message`: `` `Task.output` `` or "`output` in the response 200 of `getTask`". */
export function ownerOf({ home, path }: Scope): string {
  if (path === '') return home
  return /^`\w+`$/.test(home) ? `${home.slice(0, -1)}${path}\`` : `\`${path.replace(/^\./, '')}\` in ${home}`
}

/** Returns the scope of a part of the place, such as the field `.url` or the items `[]`. */
export function within(scope: Scope, step: string): Scope {
  return { ...scope, path: scope.path + step }
}

/** The same place at the base and in the working tree. On a side without this place, the value is undefined. */
export interface Pair {
  readonly base: At
  readonly next: At
}

interface Finding {
  readonly kind: Kind
  readonly pair: Pair
  readonly owners: Set<string>
  readonly details: Details
  readonly roles: Set<Role>
  /** The roles of scopes that are `unused`. They count only if `roles` is empty. */
  readonly unusedRoles: Set<Role>
  readonly users: Set<string>
}

/** Collects changes. If several operations use a place, a change to it is reported once, with the highest verdict. */
export class Findings {
  readonly #service: string
  readonly #found = new Map<string, Finding>()

  constructor(service: string) {
    this.#service = service
  }

  add(kind: Kind, pair: Pair, scope: Scope, details: Details = {}): void {
    const key = JSON.stringify([kind, pair.next.file, pair.next.pointer, pair.base.pointer, details])
    const known = this.#found.get(key) ?? {
      kind,
      pair,
      owners: new Set<string>(),
      details,
      roles: new Set<Role>(),
      unusedRoles: new Set<Role>(),
      users: new Set<string>(),
    }
    known.owners.add(ownerOf(scope))
    if (scope.unused) known.unusedRoles.add(scope.role)
    else known.roles.add(scope.role)
    if (scope.user !== '') known.users.add(scope.user)
    this.#found.set(key, known)
  }

  get isEmpty(): boolean {
    return this.#found.size === 0
  }

  list(): Change[] {
    return [...this.#found.values()]
      .map((finding) => this.#change(finding))
      .sort(
        (one, other) =>
          byVerdict(highest([one.wire, one.typescript]), highest([other.wire, other.typescript])) ||
          one.place.file.localeCompare(other.place.file) ||
          one.place.line - other.place.line ||
          one.message.localeCompare(other.message),
      )
  }

  #change({ kind, pair: { base, next }, owners, details, users, ...finding }: Finding): Change {
    const rule: Rule = rules[kind]
    const used = finding.roles.size > 0
    const roles = used ? finding.roles : finding.unusedRoles
    const verdicts = [...roles].map((role) => (RECEIVED.has(role) ? rule.received : rule.sent))
    const owner = shortened([...owners])
    const role = listed([...roles].sort())
    const shown = [...roles].some((one) => owner.includes(one)) ? '' : ` (${role})`
    const names: { readonly [name: string]: string | undefined } = { ...details, owner, role, in: shown }
    return {
      kind,
      service: this.#service,
      message: plain(rule.says.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? '')),
      why: [
        ...new Set([...roles].sort().map((one) => rule.why[RECEIVED.has(one) ? 'received' : 'sent'])),
      ].join(' '),
      wire: used ? highest(verdicts.map(([wire]) => wire)) : 'none',
      typescript: highest(
        [...roles].map((one, at) => {
          const isTyped = !UNTYPED.has(one) || next.pointer.startsWith('/components/schemas/')
          return isTyped ? (verdicts[at]?.[1] ?? 'none') : 'none'
        }),
      ),
      reach: rule.reach,
      named: rule.named === true,
      place: next.contract.place(next.file, next.pointer),
      ...(base.value === undefined ? {} : { was: base.contract.place(base.file, base.pointer) }),
      usedBy: [...users].map(plain).sort(),
    }
  }
}

const MAX_OWNERS = 3

function shortened(words: readonly string[]): string {
  if (words.length <= MAX_OWNERS) return listed(words)
  return listed([...words.slice(0, MAX_OWNERS - 1), `${words.length - MAX_OWNERS + 1} others`])
}

/** Joins words: `a`, `a and b`, `a, b and c`. */
export function listed(words: readonly string[]): string {
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}
