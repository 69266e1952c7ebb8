import {
  arrayOf,
  isObject,
  objectOf,
  type Operation,
  type Parameter,
  type SchemaOracle,
  type SocketSpec,
  type Spec,
  schemaOracle,
} from '@concord/spec-model'

import { headerValue, isJson, readJson, type HeaderLine } from '../http/exchange.ts'
import { readForm } from '../http/multipart.ts'
import { decodeSegment, matchPath } from '../oracle/parameters.ts'
import { CREDENTIAL_HEADERS, hiderOf, keyNames, LEAST_CHARACTERS, secretsIn } from './credentials.ts'
import { removed } from './har.ts'

/** The members that are always secret: `password`, and the secrets of OAuth 2.0 (RFC 6749, RFC 7636, RFC 8628). */
const secretMembers =
  /^(?:password|access_token|refresh_token|id_token|client_secret|client_assertion|code_verifier|device_code)$/i

/** Removes the secrets that a contract marks, and remembers them, so that they can also be removed elsewhere. */
export class Redaction {
  readonly #oracle: SchemaOracle
  readonly #headers: ReadonlySet<string>
  readonly #query: ReadonlySet<string>
  readonly #cookies: ReadonlySet<string>
  /** The names of the contract's HTTP authentication schemes, in lower case, such as `bearer`. */
  readonly #words: ReadonlySet<string>
  readonly #values = new Set<string>()

  constructor(spec: Spec | SocketSpec) {
    this.#oracle = schemaOracle(spec)
    this.#headers = new Set([...CREDENTIAL_HEADERS, ...keyNames(spec.securitySchemes, 'header')])
    this.#cookies = new Set(keyNames(spec.securitySchemes, 'cookie'))
    this.#words = new Set(
      Object.values(spec.securitySchemes).flatMap((one) =>
        one.type === 'http' ? [one.scheme.toLowerCase()] : [],
      ),
    )
    const marked =
      'operations' in spec ? spec.operations.map((one) => [...secretParameters(one, 'query')]) : []
    this.#query = new Set([...keyNames(spec.securitySchemes, 'query'), ...marked.flat()])
  }

  headers(lines: readonly HeaderLine[], operation?: Operation): HeaderLine[] {
    const marked = secretParameters(operation, 'header')
    return lines.map(([name, value]) => {
      const key = name.toLowerCase()
      if (this.#headers.has(key) || marked.has(key)) {
        this.#remove(...secretsIn(key, value))
        return [name, this.#shown(key, value)]
      }
      return [name, key === 'location' ? this.target(value) : value]
    })
  }

  /** Replaces the secrets in a header, but keeps documented schemes (such as `Bearer`) and cookie names. */
  #shown(header: string, value: string): string {
    if (header === 'authorization') {
      const [word = ''] = value.split(' ', 1)
      return this.#words.has(word.toLowerCase()) && word !== value ? `${word} ${removed}` : removed
    }
    if (header !== 'cookie') return removed
    const names = value.split(';').map((pair) => pair.split('=', 1)[0]?.trim() ?? '')
    const known = names.filter((name) => this.#cookies.has(name.toLowerCase()))
    return known.length > 0 ? known.map((name) => `${name}=${removed}`).join('; ') : removed
  }

  /** Removes the values of secret parameters from a path and query. */
  target(target: string, operation?: Operation): string {
    const [path = '', ...query] = target.split('?')
    const pairs = query.join('?').split('&')
    const search = pairs.map((pair) => {
      const [name = '', ...value] = pair.split('=')
      const key = decodeSegment(name).toLowerCase()
      const isSecret = this.#query.has(key) || secretMembers.test(key)
      return isSecret ? `${name}=${encodeURIComponent(this.#remove(value.join('=')))}` : pair
    })
    const shown = this.#path(path, operation)
    return query.length > 0 ? `${shown}?${search.join('&')}` : shown
  }

  /** Removes the secrets from a body. Returns undefined if the whole body must be left out. */
  body(bytes: Uint8Array, headers: readonly HeaderLine[], schema: unknown): Uint8Array | undefined {
    if (bytes.length === 0) return bytes
    const type = headerValue(headers, 'content-type') ?? ''
    if (this.#isSecret(schema)) return Buffer.from(isJson(type) ? JSON.stringify(removed) : removed)
    if (isJson(type)) {
      try {
        const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'))
        const kept = this.value(value, schema)
        return kept === value ? bytes : Buffer.from(JSON.stringify(kept))
      } catch {
        // Secrets can't be found in a body that can't be parsed.
        return undefined
      }
    }
    if (type.startsWith('application/x-www-form-urlencoded')) return this.#urlencoded(bytes, schema)
    if (type.startsWith('multipart/')) return this.#form(bytes, type, schema)
    return bytes
  }

  /** Removes the secrets from a JSON value. Returns the same value if it has no secrets. */
  value(value: unknown, schema: unknown, depth = 0): unknown {
    if (this.#isSecret(schema)) return this.#removeAll(value)
    if (depth > 64 || typeof value !== 'object' || value === null) return value
    const schemas = this.#branches(schema)
    if (Array.isArray(value)) {
      const items = schemas.map((one) => one['items'])
      const kept = value.map((one) => this.#through(one, items, depth))
      return kept.some((one, at) => one !== value[at]) ? kept : value
    }
    const entries = Object.entries(value).map(([name, member]): [string, unknown] => {
      if (secretMembers.test(name) && typeof member === 'string') return [name, this.#remove(member)]
      const members = schemas.map((one) => objectOf(one['properties'])[name] ?? one['additionalProperties'])
      return [name, this.#through(member, members, depth)]
    })
    const changed = entries.some(([name, one]) => one !== (value as Record<string, unknown>)[name])
    return changed ? Object.fromEntries(entries) : value
  }

  /** Returns a function that removes all secrets seen so far. */
  hider(): (text: string) => string {
    return hiderOf([...this.#values])
  }

  #through(value: unknown, schemas: readonly unknown[], depth: number): unknown {
    return schemas.reduce<unknown>(
      (kept, schema) => (schema === undefined ? kept : this.value(kept, schema, depth + 1)),
      schemas.every((one) => one === undefined) ? this.value(value, undefined, depth + 1) : value,
    )
  }

  /** Returns a schema, and all schemas that it combines (`allOf` and others). */
  #branches(schema: unknown, depth = 0): readonly Record<string, unknown>[] {
    const resolved = objectOf(this.#oracle.deref(schema))
    if (depth > 8) return []
    const inner = ['allOf', 'anyOf', 'oneOf', 'then', 'else'].flatMap((word) => {
      const value = resolved[word]
      return isObject(value) ? [value] : arrayOf(value)
    })
    return [resolved, ...inner.flatMap((one) => this.#branches(one, depth + 1))]
  }

  #isSecret(schema: unknown): boolean {
    return this.#branches(schema).some((one) => one['x-secret'] === true || one['format'] === 'password')
  }

  #path(path: string, operation: Operation | undefined): string {
    const marked = secretParameters(operation, 'path')
    if (!operation || marked.size === 0) return path
    const values = matchPath(operation.path, path) ?? {}
    return (operation.path.split('?')[0] ?? '').replaceAll(/\{([^}]*)\}/g, (_, name: string) =>
      marked.has(name.toLowerCase())
        ? encodeURIComponent(this.#remove(values[name] ?? ''))
        : (values[name] ?? ''),
    )
  }

  #urlencoded(bytes: Uint8Array, schema: unknown): Uint8Array {
    const pairs = [...new URLSearchParams(Buffer.from(bytes).toString('utf8'))]
    const kept = pairs.map(([name, text]) => [name, this.#field(name, text, schema)])
    const isSame = kept.every(([, text], at) => text === pairs[at]?.[1])
    return isSame ? bytes : Buffer.from(String(new URLSearchParams(kept)))
  }

  /** If the form field is secret, removes its value. Otherwise, if the value is JSON, removes only the secrets in it. */
  #field(name: string, text: string, schema: unknown): string {
    const schemas = this.#branches(schema).map(
      (one) => objectOf(one['properties'])[name] ?? one['additionalProperties'],
    )
    if (secretMembers.test(name) || schemas.some((one) => this.#isSecret(one))) return this.#remove(text)
    const read = /^\s*[[{]/.test(text) ? readJson(Buffer.from(text)) : undefined
    if (!read) return text
    const kept = this.#through(read.value, schemas, 0)
    return kept === read.value ? text : JSON.stringify(kept)
  }

  #form(bytes: Uint8Array, type: string, schema: unknown): Uint8Array | undefined {
    const read = readForm(type, bytes)
    if (read.problem !== undefined) return undefined
    let text = Buffer.from(bytes).toString('latin1')
    for (const part of read.parts) {
      const value = Buffer.from(part.body)
      const shown = this.#field(part.name, value.toString('utf8'), schema)
      if (shown === value.toString('utf8')) continue
      // The value can also occur elsewhere in the form, so it is replaced only where it is the whole body of a part.
      const [before, after] = ['\r\n\r\n', '\r\n--']
      const kept = Buffer.from(shown).toString('latin1')
      text = text.replaceAll(`${before}${value.toString('latin1')}${after}`, () => `${before}${kept}${after}`)
    }
    return Buffer.from(text, 'latin1')
  }

  #removeAll(value: unknown): unknown {
    const visit = (one: unknown): void => {
      if (typeof one === 'string') this.#remove(one)
      else if (typeof one === 'object' && one !== null) Object.values(one).forEach(visit)
    }
    visit(value)
    return value === null ? null : removed
  }

  #remove(...secrets: readonly string[]): string {
    for (const one of secrets.flatMap((secret) => [secret, decodeSegment(secret)]))
      if (one.length >= LEAST_CHARACTERS) this.#values.add(one)
    return removed
  }
}

function secretParameters(operation: Operation | undefined, place: Parameter['in']): ReadonlySet<string> {
  const marked = (operation?.parameters ?? []).filter((one) => one.in === place && one.secret)
  return new Set(marked.map(({ name }) => name.toLowerCase()))
}
