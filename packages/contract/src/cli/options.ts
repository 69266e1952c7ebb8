import { existsSync } from 'node:fs'

import { readDocument } from '@concord/spec-model'
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

/** Says whether a file is an AsyncAPI document; the name of a service may mean either. */
export function isAsyncApi(source: string): boolean {
  return /[./\\]/.test(source) && existsSync(source) && 'asyncapi' in readDocument(source)
}
