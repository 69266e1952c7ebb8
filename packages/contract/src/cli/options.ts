import { existsSync } from 'node:fs'

import { type LoadOptions, readDocument } from '@concord/spec-model'
import { InvalidArgumentError } from 'commander'

/** Returns a parser that collects `name=value` options into a record. */
export function pairs(what: string) {
  return (text: string, known: Readonly<Record<string, string>> = {}): Record<string, string> => {
    const equals = text.indexOf('=')
    if (equals < 1) throw new InvalidArgumentError(`Write the argument as \`${what}\`.`)
    return { ...known, [text.slice(0, equals)]: text.slice(equals + 1) }
  }
}

export function port(text: string): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number <= 65_535) return number
  throw new InvalidArgumentError('A port is a whole number from 0 to 65535.')
}

export function positive(text: string): number {
  const number = Number(text)
  if (number > 0 && Number.isFinite(number)) return number
  throw new InvalidArgumentError('Pass a number above 0.')
}

export function percentage(text: string): number {
  const number = Number(text)
  if (text.trim() !== '' && number >= 0 && number <= 100) return number
  throw new InvalidArgumentError('Pass a number from 0 to 100, without a percent sign.')
}

export const SPEC_HELP =
  'an OpenAPI 3 file or URL (for WebSockets: AsyncAPI 3, or 2 with @asyncapi/converter installed), or a service in @concord/specs'

export const ALLOW_HOST = [
  '--allow-host <host>',
  'allow the contract to refer to documents on this host; repeatable',
  (text: string, known: readonly string[] = []): readonly string[] => [...known, text],
] as const

export function hostsOf({ allowHost }: { readonly allowHost?: readonly string[] }): LoadOptions {
  return allowHost === undefined ? {} : { allowHosts: allowHost }
}

/**
 * Returns whether `--spec` is an AsyncAPI document. For a URL, checks only the file name; for a file, the content.
 * Returns false for the name of a service.
 */
export function isAsyncApi(source: string): boolean {
  if (/^https?:/i.test(source)) return /asyncapi[^/?]*(?:\?|$)/i.test(source)
  return /[./\\]/.test(source) && existsSync(source) && 'asyncapi' in readDocument(source)
}
