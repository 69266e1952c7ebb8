import { isObject, objectOf, type Operation } from '@concord/spec-model'
import { textResponse } from '../http/front.ts'
import { type Finding, isJson, type RecordedResponse } from '../http/exchange.ts'
import { responseFromSpec } from '../http/responder.ts'
import { rowKey } from '../coverage/matrix.ts'
import { compareRequest } from '../oracle/compare-request.ts'
import { someMutants } from '../oracle/mutate.ts'
import { judgeRequest } from '../oracle/request-judge.ts'
import { judgeSecurity, testedSchemes, withoutKeys } from '../oracle/security.ts'
import { generateEverything, generateValid } from '../oracle/generate.ts'
import { seededRandom } from '../oracle/random.ts'
import { statusNumber } from '../oracle/response-judge.ts'
import { callOnce, nothingSent } from './call.ts'
import { few, notSent, unique, type Check, type CheckResult, type SuiteContext } from './context.ts'
import { fileKind, isWrittenByCaller, requestCases, type RequestCase } from './inputs.ts'
import { judgedMutants, leftOpen, sendingMistake } from './verdicts.ts'

/**
 * Returns checks that compare the client's requests with the contract and with the input of the call (column
 * `request`). Further checks test which bodies the client rejects before sending (column `validators`).
 */
export function requestChecks(context: SuiteContext): Check[] {
  return context.spec.operations.flatMap((operation) =>
    requestCases(operation, context.oracle).flatMap((requestCase): Check[] => {
      const row = rowKey('request', operation.id, '-', requestCase.media?.type ?? '-', requestCase.name)
      const recorded: Check = {
        row,
        column: 'request',
        run: (suite) => recordedRequest(suite, operation, requestCase),
      }
      const { media, needsEncoding } = requestCase
      if (!media?.schema || needsEncoding || !isCheckable(media.type)) return [recorded]
      return [
        recorded,
        { row, column: 'validators', run: (suite) => checkedBeforeSending(suite, operation, requestCase) },
      ]
    }),
  )
}

async function recordedRequest(
  context: SuiteContext,
  operation: Operation,
  { input, media, problem }: RequestCase,
): Promise<CheckResult> {
  const { spec, oracle } = context
  if (problem !== undefined) return notSent(problem)
  const findings: Finding[] = []
  for (const schemes of testedSchemes(spec, operation)) {
    const record = await callOnce(context, operation, { input, schemes }, () => success(context, operation))
    findings.push(...record.findings, ...nothingSent(record))
    const request = record.exchange?.request
    if (!request) continue
    const verdict = judgeRequest(spec, oracle, request, record.credentials)
    // One fault can both violate the contract and differ from the input. If so, only the difference is reported.
    const compared = await compareRequest(operation, media, input, withoutKeys(spec, request))
    const alreadyReported = new Set(compared.map((finding) => finding.at))
    findings.push(...compared)
    if (verdict.operation?.id === operation.id) {
      findings.push(...verdict.findings.filter((finding) => !alreadyReported.has(finding.at)))
    } else findings.push(...judgeSecurity(spec, operation, request, record.credentials))
  }
  return { by: 'recorder', findings: few(unique(findings), 10) }
}

/** Tests that the client sends all requests whose body Ajv accepts, and no others. */
async function checkedBeforeSending(
  context: SuiteContext,
  operation: Operation,
  { input, media, problem }: RequestCase,
): Promise<CheckResult> {
  if (problem !== undefined) return notSent(problem)
  const { oracle, closedOracle, sizes } = context
  if (!media?.schema || isWrittenByCaller(oracle, media)) return { by: 'ajv', findings: [] }
  const schema = media.schema
  const files =
    media.type === 'multipart/form-data'
      ? fileParts(context, schema.schema, input.body)
      : new Map<string, unknown>()
  const everything = generateEverything(oracle, schema, seededRandom(operation.id))
  const copies = someMutants(withStandIns(input.body, files), sizes.mutantsOverWire, everything)
  const tried = copies.filter(({ value }) => {
    // The client may accept or reject unknown values of open enums.
    const isUnknownEnumValue =
      oracle.accepts(schema, value, 'request') && !closedOracle.accepts(schema, value, 'request')
    return !isUnknownEnumValue && withFiles(value, input.body, files) !== undefined
  })
  const compared = judgedMutants(context, schema, tried, 'request')
  const findings: Finding[] = []
  for (const mutant of compared) {
    const call = { input: { ...input, body: withFiles(mutant.value, input.body, files)?.value } }
    const record = await callOnce(context, operation, call, () => success(context, operation))
    findings.push(...record.findings.filter(({ code }) => code !== 'attempts'))
    findings.push(...sendingMistake(mutant, record.exchange !== undefined, 'request.body'))
  }
  const note = `${compared.length} changed copies.${leftOpen(tried, compared)}`
  return { by: 'ajv', note, findings: few(findings) }
}

/** Returns the response for tests in which only the request matters: the first documented 2xx response. */
function success({ oracle, seed }: SuiteContext, operation: Operation): RecordedResponse {
  const response = operation.responses.find((one) => one.status.startsWith('2')) ?? operation.responses[0]
  if (!response) return textResponse(200, '')
  const media = response.media.find((one) => isJson(one.type)) ?? response.media[0]
  const example = media?.examples[0]
  const value = example
    ? example.value
    : media?.schema && generateValid(oracle, media.schema, seededRandom(seed), 'full')?.value
  return responseFromSpec(oracle, { status: statusNumber(response) ?? 200, response, media, value })
}

/** Multipart forms are checkable because they can have JSON parts. */
const isCheckable = (type: string): boolean => isJson(type) || type === 'multipart/form-data'

/**
 * Returns a JSON value for each form part that can hold files. The value contains the string `(file)` instead of
 * files.
 */
function fileParts({ oracle }: SuiteContext, schema: unknown, body: unknown): Map<string, unknown> {
  const properties = objectOf(objectOf(oracle.deref(schema))['properties'])
  return new Map(
    Object.keys(properties).flatMap((name): [string, unknown][] => {
      const kind = fileKind(oracle, properties[name])
      if (kind === 'choice' && isObject(body)) return [[name, withoutFiles(body[name])]]
      return kind === undefined ? [] : [[name, kind === 'file' ? standIn : [standIn]]]
    }),
  )
}

const standIn = '(file)'

function withoutFiles(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withoutFiles)
  return part instanceof Blob ? standIn : part
}

function withStandIns(body: unknown, files: ReadonlyMap<string, unknown>): unknown {
  if (files.size === 0 || !isObject(body)) return body
  return Object.fromEntries(Object.entries(body).map(([name, part]) => [name, files.get(name) ?? part]))
}

/**
 * Replaces the stand-ins in a changed copy with the original files. Returns undefined if a stand-in was changed,
 * because no file matches it.
 */
function withFiles(
  mutant: unknown,
  body: unknown,
  files: ReadonlyMap<string, unknown>,
): { readonly value: unknown } | undefined {
  if (files.size === 0) return { value: mutant }
  if (!isObject(mutant) || !isObject(body)) return undefined
  for (const [name, value] of files) if (name in mutant && mutant[name] !== value) return undefined
  return {
    value: Object.fromEntries(
      Object.entries(mutant).map(([name, part]) => [name, files.has(name) ? body[name] : part]),
    ),
  }
}
