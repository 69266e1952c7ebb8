import { isObject, type JsonObject, objectOf, type SocketChannel, type SocketSpec } from '@concord/spec-model'
import { type Finding, finding } from '../../http/exchange.ts'
import { generateEverything } from '../../oracle/generate.ts'
import { someMutants } from '../../oracle/mutate.ts'
import { decode, matchPath } from '../../oracle/parameters.ts'
import { testedSchemes, withoutKeys } from '../../oracle/security.ts'
import { seededRandom } from '../../oracle/random.ts'
import { few, unique, type CheckResult } from '../../suite/context.ts'
import { disagreements, judgedMutants, sendingMistake } from '../../suite/verdicts.ts'
import { queryTexts, type Handshake } from '../judge/channel-of.ts'
import { judgeHandshake } from '../judge/judge-handshake.ts'
import { handshakeCases, textsOf, type HandshakeCase } from './handshake-cases.ts'
import { inputOf, notOpened, openCase, type SocketCheck, type SocketContext } from './socket-context.ts'
import { handshakeRow } from './socket-rows.ts'

export function handshakeChecks({ spec, oracle }: SocketContext): SocketCheck[] {
  return spec.channels.flatMap((channel) =>
    handshakeCases(channel, oracle).flatMap((one): SocketCheck[] => {
      const row = handshakeRow(channel, one.name)
      const recorded: SocketCheck = {
        row,
        column: 'request',
        run: (at) => recordedHandshake(at, channel, one),
      }
      if (one.hard || !channel.query) return [recorded]
      return [recorded, { row, column: 'validators', run: (at) => checkedBeforeOpening(at, channel, one) }]
    }),
  )
}

async function recordedHandshake(
  context: SocketContext,
  channel: SocketChannel,
  { query }: HandshakeCase,
): Promise<CheckResult> {
  const findings: Finding[] = []
  for (const schemes of testedSchemes(context.spec, channel)) {
    const opened = await openCase(context, channel, { query, schemes }, async ({ session, peer }) => {
      await session.close()
      await peer.settle()
      if (peer.closed) return []
      return [finding('rule', 'close', "the client didn't close the connection")]
    })
    findings.push(...opened.findings, ...notOpened(opened))
    const [peer] = opened.peers
    if (!peer) continue
    findings.push(...judgeHandshake(context.spec, peer.handshake, opened.credentials).findings)
    findings.push(...comparePlace(context.spec, channel, peer.handshake, peer.server))
    findings.push(...compareQuery(withoutKeys(context.spec, peer.handshake), query))
  }
  return { by: 'recorder', findings: few(unique(findings), 10) }
}

function comparePlace(
  spec: SocketSpec,
  channel: SocketChannel,
  handshake: Handshake,
  server: string,
): Finding[] {
  const [path = ''] = handshake.target.split('?')
  const findings: Finding[] = []
  if (path !== channel.address && spec.channels.some((one) => one.address === path)) {
    findings.push(finding('path', 'handshake.path', 'is the path of another channel'))
  }
  const values = matchPath(channel.address, path)
  for (const [name, value] of Object.entries(inputOf(channel, {}).parameters ?? {}))
    if (values && decode(values[name] ?? '') !== value)
      findings.push(
        finding('path', `handshake.path.${name}`, 'differs from the value that was passed to the client'),
      )
  if (server !== channel.server) {
    const message = `the handshake went to the server ${server} instead of ${channel.server}`
    findings.push(finding('outside-base', 'handshake.path', message))
  }
  return findings
}

function compareQuery(handshake: Handshake, query: JsonObject): Finding[] {
  const sent = queryTexts(handshake.target)
  const findings: Finding[] = []
  for (const [name, value] of Object.entries(query)) {
    const expected = textsOf(value) ?? []
    const actual = sent.get(name)?.map(decode) ?? []
    // The contract doesn't define how a list is sent, so this check accepts `a=1,2` and `a=1&a=2`.
    const same = JSON.stringify(actual) === JSON.stringify(expected) || actual.join() === expected.join()
    if (!same)
      findings.push(
        finding('query', `handshake.query.${name}`, 'differs from the value that was passed to the client'),
      )
  }
  for (const name of sent.keys()) {
    if (name in query) continue
    findings.push(
      finding('query', `handshake.query.${name}`, 'was sent, although the caller did not pass it'),
    )
  }
  return findings
}

/**
 * Tests that the query's validator agrees with Ajv, and that the client opens a connection if, and only if, Ajv
 * accepts the query.
 */
async function checkedBeforeOpening(
  context: SocketContext,
  channel: SocketChannel,
  { name, query }: HandshakeCase,
): Promise<CheckResult> {
  const { oracle, subject, sizes } = context
  const schema = channel.query
  if (!schema) return { by: 'ajv', findings: [] }
  const everything = generateEverything(oracle, schema, seededRandom(name))
  const mutants = someMutants(query, sizes.mutantsOverWire, everything)
  const tried = [{ value: query, change: 'none' }, ...mutants].filter(({ value }) => isObject(value))
  const compared = judgedMutants(context, schema, tried)
  const verdict = subject.queries[channel.id]
  const findings = verdict
    ? disagreements(compared, verdict, 'query')
    : [finding('validator', 'query', 'the suite got no validator for this query; add one to `queries`')]
  for (const mutant of compared) {
    const changed = objectOf(mutant.value)
    // Some values, such as null, have no defined form in a query. Even if Ajv accepts a query with such a value, the
    // client doesn't have to open a connection.
    if (mutant.accepted && !Object.values(changed).every((value) => textsOf(value)?.length)) continue
    const opened = await openCase(context, channel, { query: changed }, async () => [])
    findings.push(...opened.findings, ...sendingMistake(mutant, opened.peers.length > 0, 'handshake.query'))
  }
  return { by: 'ajv', note: `${compared.length - 1} changed copies.`, findings: few(findings) }
}
