import type { Media, Operation, ResponseSpec } from '@concord/spec-model'
import { exampleNames, rowKey } from '../coverage/matrix.ts'
import { type Finding, finding, isJson, readJson } from '../http/exchange.ts'
import { responseFromSpec } from '../http/responder.ts'
import { generateEverything, generateValid } from '../oracle/generate.ts'
import { someMutants } from '../oracle/mutate.ts'
import { seededRandom } from '../oracle/random.ts'
import { statusNumber, undocumentedStatuses } from '../oracle/response-judge.ts'
import { callOnce } from './call.ts'
import { few, notSent, type Check, type CheckResult, type SuiteContext } from './context.ts'
import { askingFor, firstOf, requestCases } from './inputs.ts'
import { exampleValue, type MockedCase, prismObstacle, throughResponder } from './mock-checks.ts'
import { judgeOutcome } from './outcome.ts'
import { judgedMutants, leftOpen } from './verdicts.ts'

/** Returns checks that send random responses (column `dynamic`) and changed examples (column `validators`). */
export function randomChecks(context: SuiteContext): Check[] {
  return context.spec.operations.flatMap((operation) => {
    const request = firstOf(requestCases(operation, context.oracle))
    if (!request) return []
    return operation.responses.flatMap((response) =>
      response.media
        .filter((media) => media.schema && isJson(media.type))
        .flatMap((media) => {
          // The random responses don't depend on the example, so they are generated once for all examples.
          let drawn: Promise<CheckResult> | undefined
          return exampleNames(media).flatMap((example): Check[] => {
            const row = rowKey('response', operation.id, response.status, media.type, example)
            const target = { operation, response, media, request: askingFor(request, response, media) }
            const { problem } = request
            const unsent = problem !== undefined && Promise.resolve(notSent(problem))
            return [
              {
                row,
                column: 'dynamic',
                run: (suite) => unsent || (drawn ??= randomResponses(suite, target)),
              },
              {
                row,
                column: 'validators',
                run: (suite) => unsent || changedResponses(suite, target, example),
              },
            ]
          })
        }),
    )
  })
}

/** A documented response with a JSON body. */
type Target = MockedCase & { readonly media: Media }

const statusOf = ({ operation, response }: Target): number =>
  statusNumber(response) ?? undocumentedStatuses(operation)[0] ?? 400

/** Returns an undocumented success status, if the contract allows such statuses. The client must accept it. */
function otherSuccess({ responses }: Operation, { openStatus }: ResponseSpec): number | undefined {
  if (!openStatus) return undefined
  return [202, 201, 203].find((status) => !responses.some((one) => one.status === String(status)))
}

/** Sends random responses, from Prism and from our own generator. Ignores responses that Ajv rejects. */
async function randomResponses(context: SuiteContext, target: Target): Promise<CheckResult> {
  const { sizes, seed, oracle } = context
  const { media, operation } = target
  const schema = media.schema
  if (!schema) return { by: 'prism', findings: [] }
  const findings: Finding[] = []
  let byPrism = 0
  const obstacle = prismObstacle(context, target)
  if (obstacle === undefined) {
    for (let index = 0; index < sizes.randomResponses; index += 1) {
      const valid = await randomByPrism(context, target, `${seed}-${operation.id}-${index}`, findings)
      if (valid) byPrism += 1
    }
  }
  const random = seededRandom(`${seed} ${operation.id} ${target.response.status}`)
  const fills = ['required', 'full', ...Array<'random'>(sizes.randomResponses).fill('random')] as const
  const planned = fills.map((fill) => ({ status: statusOf(target), fill }))
  const other = otherSuccess(operation, target.response)
  if (other !== undefined) planned.push({ status: other, fill: 'full' })
  let made = 0
  for (const { status, fill } of planned) {
    const drawn = generateValid(oracle, schema, random, fill)
    if (!drawn) continue
    made += 1
    const given = { status, response: target.response, media, value: drawn.value }
    findings.push(...(await throughResponder(context, target, given)))
  }
  if (byPrism + made === 0) {
    const message = 'no valid random response could be generated; add an example to the schema'
    findings.push(finding('no-example', media.type, message))
  }
  return {
    by: byPrism > 0 ? 'prism + responder' : 'responder',
    note: `${obstacle ?? `${byPrism} valid responses from Prism.`} ${made} valid responses from the responder.`,
    findings: few(findings),
  }
}

/** Sends one random response from Prism. Returns false for an unusable response, such as one that Ajv rejects. */
async function randomByPrism(
  context: SuiteContext,
  target: Target,
  seed: string,
  findings: Finding[],
): Promise<boolean> {
  const { prism, oracle } = context
  if (!prism) return false
  const { operation, response, media, request } = target
  const record = await callOnce(context, operation, request, async (received) => {
    const preference = { status: response.status, seed, mediaType: media.type }
    return (await prism.exchange(received, preference)).response
  })
  const sent = record.exchange?.response
  if (!sent || !media.schema || sent.status !== statusNumber(response)) return false
  const read = readJson(sent.body)
  if (!read || !oracle.accepts(media.schema, read.value)) return false
  const { value } = read
  findings.push(...judgeOutcome(context, record.outcome, { status: sent.status, response, media, value }))
  return true
}

/** Sends changed copies of an example. The client must report drift for exactly the copies that Ajv rejects. */
async function changedResponses(
  context: SuiteContext,
  target: Target,
  example: string,
): Promise<CheckResult> {
  const { oracle, closedOracle, sizes } = context
  const { operation, response, media, request } = target
  const original = exampleValue(context, media, example)
  if (!media.schema || !original) {
    return { by: 'ajv', findings: [finding('no-example', media.type, 'has no example')] }
  }
  const status = statusOf(target)
  const findings: Finding[] = []
  const everything = generateEverything(oracle, media.schema, seededRandom(operation.id))
  const mutants = someMutants(original.value, sizes.mutantsOverWire, everything)
  const tried = [{ value: original.value, change: 'unchanged' }, ...mutants]
  const compared = judgedMutants(context, media.schema, tried, 'response')
  for (const { value, change, accepted } of compared) {
    // The client may accept or reject unknown values of open enums.
    const isUnknownEnumValue = accepted && !closedOracle.accepts(media.schema, value, 'response')
    const given = { status, response, media, value }
    const record = await callOnce(context, operation, request, () => responseFromSpec(oracle, given))
    const { outcome } = record
    findings.push(...record.findings)
    if (!record.exchange) continue
    const reported = (outcome.drift ?? []).length > 0
    if (accepted) {
      const judged = judgeOutcome(context, isUnknownEnumValue ? { ...outcome, drift: [] } : outcome, given)
      findings.push(...judged.map((one) => ({ ...one, message: `${one.message} (${change})` })))
    } else if (!reported && (outcome.kind === 'data' || (status >= 400 && outcome.drift !== undefined))) {
      const message = `the client accepts a value that the contract rejects (the example, with this change: ${change})`
      findings.push(finding('validator', 'response.body', message))
    }
  }
  const note = `${compared.length - 1} changed copies.${leftOpen(tried, compared)}`
  return { by: 'ajv', note, findings: few(findings) }
}
