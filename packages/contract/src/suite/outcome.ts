import { atPointer, differences, type SchemaOracle } from '@concord/spec-model'
import { type Finding, finding, isJson, isText, typeToSend } from '../http/exchange.ts'
import { itemSchemaOf, itemsIn, streamFormat } from '../http/item-streams.ts'
import { bodyBytes, type SpecResponse } from '../http/responder.ts'
import type { ContractSubject, Outcome } from './subject.ts'

/** Compares the outcome of a call with the response that was sent. */
export function judgeOutcome(
  { subject, oracle }: { readonly subject: ContractSubject; readonly oracle: SchemaOracle },
  outcome: Outcome,
  given: SpecResponse,
): readonly Finding[] {
  const findings: Finding[] = []
  // Redirects aren't followed, so they are errors.
  const failed = given.status >= 300
  if (outcome.kind !== (failed ? 'error' : 'data')) {
    const got = outcome.kind === 'error' ? `${outcome.errorNames[0]}: ${outcome.message ?? ''}` : 'data'
    const message = `the client reported a ${given.status} response as ${got.slice(0, 300)}`
    return [finding('outcome', 'outcome.kind', message)]
  }
  if (outcome.status !== given.status) {
    const message = `expected ${given.status}, got ${String(outcome.status)}`
    findings.push(finding('outcome', 'outcome.status', message))
  }
  const body = outcome.kind === 'data' ? outcome.data : outcome.body
  findings.push(
    ...judgeDecoded(oracle, given, body).map((one) =>
      failed ? { ...one, at: one.at.replace('.data', '.body') } : one,
    ),
  )
  for (const drift of outcome.drift ?? []) {
    const message = `the client rejects a valid response: ${drift.reason}`
    findings.push(finding('drift', `response.body${drift.path}`, message))
  }
  if (outcome.kind === 'error') {
    const expected = subject.errorName?.(given.status, given.value)
    if (expected !== undefined && !outcome.errorNames.includes(expected)) {
      const message = `expected ${expected} for ${given.status}, got ${outcome.errorNames[0]}`
      findings.push(finding('error-class', 'outcome.errorNames', message))
    }
    const meaning = rateMeaning(given)
    if (given.response.rateMeanings.length > 0 && outcome.meaning !== meaning) {
      const message = `expected ${meaning ?? 'undefined (no rule applies)'}, got ${outcome.meaning ?? 'undefined'}`
      findings.push(finding('rate-meaning', 'outcome.meaning', message))
    }
  }
  return findings
}

function judgeDecoded(oracle: SchemaOracle, { status, media, value }: SpecResponse, got: unknown): Finding[] {
  const at = 'outcome.data'
  if (!media) {
    const empty = got === undefined || got === null || got === ''
    return empty ? [] : [finding('decoded', at, 'the response has no body, but the client returned data')]
  }
  const expected = Buffer.from(bodyBytes(media, value))
  const text = expected.toString('utf8')
  const format = status < 300 ? streamFormat(media.type) : undefined
  if (format || isJson(typeToSend(media.type, value))) {
    const described = format && itemSchemaOf(oracle, media, format)?.describes
    const sent = format ? itemsIn(text, format, described ?? 'event') : value
    return differences(sent, got).map((place) =>
      finding('decoded', at + place, 'differs from the response body'),
    )
  }
  if (isText(media.type) || (media.type.includes('*') && typeof got === 'string'))
    return got === text ? [] : [finding('decoded', at, 'differs from the text of the response')]
  const same = got instanceof Uint8Array && expected.equals(Buffer.from(got))
  return same ? [] : [finding('decoded', at, 'differs from the bytes of the response')]
}

/** Returns the meaning of a 429 according to the rules in `x-rate-meaning`. */
function rateMeaning({ response, value }: SpecResponse): string | undefined {
  const matched = response.rateMeanings.find(
    ({ match }) => match && atPointer(value, match.pointer) === match.equals,
  )
  if (matched) return matched.meaning
  const unconditional = response.rateMeanings.filter(({ match }) => !match)
  return unconditional.length === 1 ? unconditional[0]?.meaning : undefined
}
