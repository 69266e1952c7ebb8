import { existsSync } from 'node:fs'

import { type LoadOptions, readDocument } from '@concord/spec-model'
import { InvalidArgumentError } from 'commander'

/** Collects `name=value` options into a record. */
export function pairs(what: string) {
  return (text: string, known: Readonly<Record<string, string>> = {}): Record<string, string> => {
    const equals = text.indexOf('=')
    if (equals < 1) throw new InvalidArgumentError(`Write it as ${what}.`)
    return { ...known, [text.slice(0, equals)]: text.slice(equals + 1) }
  }
}

/** A TCP port. */
export function port(text: string): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number <= 65_535) return number
  throw new InvalidArgumentError('A port is a whole number from 0 to 65535.')
}

/** A number above 0. */
export function positive(text: string): number {
  const number = Number(text)
  if (number > 0 && Number.isFinite(number)) return number
  throw new InvalidArgumentError('Pass a number above 0.')
}

/** The values of `--spec`, for help. */
export const SPEC_HELP =
  'an OpenAPI 3 file or address (for WebSockets: AsyncAPI 3, or 2 with @asyncapi/converter installed), or a service of @concord/specs'

/** The option for contracts that refer to documents at http addresses. */
export const ALLOW_HOST = [
  '--allow-host <host>',
  'a host that may be asked for documents that the contract refers to; repeatable',
  (text: string, known: readonly string[] = []): readonly string[] => [...known, text],
] as const

/** The hosts of {@link ALLOW_HOST}, as the loaders of contracts take them. */
export function hostsOf({ allowHost }: { readonly allowHost?: readonly string[] }): LoadOptions {
  return allowHost === undefined ? {} : { allowHosts: allowHost }
}

/** Says whether a file is an AsyncAPI document; the name of a service may mean either. An address says it by its name. */
export function isAsyncApi(source: string): boolean {
  if (/^https?:/i.test(source)) return /asyncapi[^/?]*(?:\?|$)/i.test(source)
  return /[./\\]/.test(source) && existsSync(source) && 'asyncapi' in readDocument(source)
}
