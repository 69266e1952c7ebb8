import { randomUUID } from 'node:crypto'

import {
  ContractError,
  loadSpec,
  type Operation,
  schemaOracle,
  type SchemaOracle,
  type Spec,
} from '@concord/spec-model'

import { bodyLimit } from '../http/body-limit.ts'
import { decodedResponse } from '../http/decode.ts'
import type { Finding, RecordedResponse, RecordedRequest } from '../http/exchange.ts'
import { forwarder, type Forwarder } from '../http/forward.ts'
import { buildRequest } from '../oracle/build-request.ts'
import { matchOperation } from '../oracle/parameters.ts'
import { judgeResponse } from '../oracle/response-judge.ts'
import type { Credentials } from '../oracle/security.ts'
import { checkAddresses, checkMinCoverage, checkNames } from './check-options.ts'
import { hidden, hider } from './hide.ts'
import { hintsFrom, type SeenResponse, shownAddress } from './hints.ts'
import { type Expected, type Probe, probesFor, type SentProbe } from './probes.ts'
import { isSuccess, notRun, verifyReport, type VerifyCheck, type VerifyReport } from './report.ts'

/** Options of {@link verify}. @public */
export interface VerifyOptions {
  /** The path or URL of a document, the name of a service in `@concord/specs`, or a loaded document. */
  readonly spec: string | Spec
  /** The URL of the service. It may have a path. */
  readonly baseUrl: string
  /**
   * The URLs of further servers, if the operations aren't all on the same server. Each key is a server's URL template
   * in the document. The first operation's server needs no entry: its default URL is `baseUrl`.
   */
  readonly servers?: Readonly<Record<string, string>>
  /** Secrets by the name of the security scheme. They are sent to the service, but never shown. */
  readonly credentials?: Credentials
  /** Values of parameters, by name or by `operationId.name`. For example, pass the id of a job that exists. */
  readonly params?: Readonly<Record<string, string>>
  /**
   * The ids of operations to call although they may submit or change something. Each is called once, with the
   * passed `credentials`. Default: none.
   */
  readonly allow?: readonly string[]
  /** The files to send in forms, by the name of the form part. */
  readonly files?: Readonly<Record<string, File>>
  /** The percentage of operations that must respond with a success. Default 0. */
  readonly minCoverage?: number
  /** Fail if any check has the state `not-run` or `nothing-shown`. Default false. */
  readonly strict?: boolean
  /** The time limit of one request, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number
  /** The maximum number of requests per minute. Default: no limit. */
  readonly requestsPerMinute?: number
  /** Waits between requests. For tests. */
  readonly sleep?: (delayMs: number) => Promise<void>
}

/**
 * Tests whether a live or staged service conforms to the contract. Sends one request at a time, and checks the
 * response against the contract with Ajv. By default, sends only safe requests. Responses that any server could send
 * don't count: an error counts only if the same operation also succeeds, and a success counts only if a path that
 * isn't in the contract gets a different response.
 *
 * @throws ContractError if the contract or an option is invalid, or the service can't be reached at all.
 * @public
 */
export async function verify(options: VerifyOptions): Promise<VerifyReport> {
  const spec = typeof options.spec === 'string' ? await loadSpec(options.spec) : options.spec
  const session = new Session(spec, options)
  const hideCredentials = hider(options.credentials)
  const operations = []
  for (const operation of spec.operations) {
    const { id, method, path } = operation
    operations.push({
      operation: id,
      method,
      path,
      checks: hidden(await session.check(operation), hideCredentials),
    })
  }
  const hints = hintsFrom(spec, options.baseUrl, session.seen).map(hideCredentials)
  const { minCoverage, strict } = options
  return verifyReport(spec.name, shownAddress(options.baseUrl), operations, { minCoverage, strict, hints })
}

/** The verification stops sending requests after this many consecutive requests without a response. */
const MAX_WITHOUT_RESPONSE = 3
/** The maximum size of a response body, before and after decompression. */
const MAX_BYTES = 64 * 1024 * 1024

class Session {
  readonly seen: SeenResponse[] = []
  readonly #spec: Spec
  readonly #options: VerifyOptions
  readonly #oracle: SchemaOracle
  /** A path that isn't in the contract. */
  readonly #nowhere: string
  readonly #controls = new Map<string, Promise<RecordedResponse | undefined>>()
  #sent = 0
  #withoutResponse = 0

  constructor(spec: Spec, options: VerifyOptions) {
    this.#spec = spec
    this.#options = options
    this.#oracle = schemaOracle(spec)
    this.#nowhere = pathOfNothing(spec.operations)
    checkOptions(spec, options)
  }

  async check(operation: Operation): Promise<VerifyCheck[]> {
    const { credentials = {}, params = {}, allow = [], files = {} } = this.#options
    try {
      const checks: VerifyCheck[] = []
      for (const probe of probesFor(this.#spec, this.#oracle, operation, {
        credentials,
        params,
        allow,
        files,
      }))
        checks.push(await this.#probe(operation, probe))
      return checks.some(isSuccess) ? checks : checks.map(withoutProof)
    } catch (error) {
      if (!(error instanceof ContractError) || error.code !== 'spec-unsupported') throw error
      return [notRun('as documented', error.message)]
    }
  }

  async #probe(operation: Operation, probe: Probe): Promise<VerifyCheck> {
    const { title } = probe
    if ('notRun' in probe) return notRun(title, probe.notRun)
    const { request, schemes, credentials } = probe
    const address = this.#address(operation)
    if (address === undefined)
      return notRun(
        title,
        `the URL of the operation's server is missing; add --server '${operation.server}=URL'`,
      )
    if (this.#withoutResponse >= MAX_WITHOUT_RESPONSE)
      return notRun(title, `the service didn't respond to ${MAX_WITHOUT_RESPONSE} consecutive requests`)
    const built = await buildRequest(this.#spec, operation, { ...request, schemes, credentials })
    const { timeoutMs = 10_000 } = this.#options
    const service = forwarder(address, { timeoutMs })
    await this.#pace()
    let response: RecordedResponse
    try {
      response = await this.#send(service, built)
    } catch (error) {
      // If the first request fails, the service can't be reached at all.
      if (this.#sent === 1 && error instanceof ContractError) throw error
      this.#withoutResponse += 1
      const reason = error instanceof Error ? error.message : 'no response'
      return { title, state: 'fail', reasons: [reason], findings: [] }
    }
    this.#withoutResponse = 0
    this.seen.push({
      operation,
      response,
      expectsSuccess: probe.expect === 'success',
      withKey: schemes.length > 0 && credentials === this.#options.credentials,
    })
    const verdict = judge(operation, response, probe, this.#oracle)
    const { status } = response
    if (verdict.state !== 'pass' || status >= 400) return { title, status, ...verdict }
    const other = await this.#control(service, address, built)
    const asSuccess = { ...probe, expect: 'success' as const }
    const same = other !== undefined && judge(operation, other, asSuccess, this.#oracle).state === 'pass'
    return same
      ? nothingShown({ title, status, ...verdict }, SAME_FOR_UNKNOWN_PATHS)
      : { title, status, ...verdict }
  }

  async #send(service: Forwarder, request: RecordedRequest): Promise<RecordedResponse> {
    const response = await service.send(request, { startCount: () => bodyLimit(MAX_BYTES)().add })
    return (await decodedResponse(response, MAX_BYTES)) ?? response
  }

  /**
   * Requests a path that isn't in the contract, with the headers of a request that succeeded. The success proves
   * something only if the response to the unknown path is different.
   */
  #control(
    service: Forwarder,
    address: string,
    { headers }: RecordedRequest,
  ): Promise<RecordedResponse | undefined> {
    const kept = headers.filter(([name]) => name !== 'content-type')
    const key = JSON.stringify([address, kept])
    const request = { method: 'GET', target: this.#nowhere, headers: kept, body: new Uint8Array() }
    const known = this.#controls.get(key)
    if (known !== undefined) return known
    const response = this.#pace()
      .then(() => this.#send(service, request))
      .catch(() => undefined)
    this.#controls.set(key, response)
    return response
  }

  #address({ server }: Operation): string | undefined {
    const { baseUrl, servers = {} } = this.#options
    return servers[server] ?? (server === this.#spec.operations[0]?.server ? baseUrl : undefined)
  }

  async #pace(): Promise<void> {
    const { requestsPerMinute, sleep = pause } = this.#options
    this.#sent += 1
    if (requestsPerMinute !== undefined && this.#sent > 1) await sleep(60_000 / requestsPerMinute)
  }
}

const SAME_FOR_UNKNOWN_PATHS = "the service responds in the same way to a path that isn't in the contract"

function pathOfNothing(operations: readonly Operation[]): string {
  let path = `/no-such-path-${randomUUID()}`
  while (matchOperation(operations, 'GET', path)) path += '/no-such-path'
  return path
}

function nothingShown(check: VerifyCheck, reason: string): VerifyCheck {
  return { ...check, state: 'nothing-shown', reasons: [reason] }
}

function withoutProof(check: VerifyCheck): VerifyCheck {
  if (check.state !== 'pass') return check
  return nothingShown(check, 'this operation never succeeded, and any server can respond with an error')
}

const pause = (delayMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, delayMs))

const EXPECTED = {
  success: 'a success',
  documented: 'a documented response below 500',
  error: 'a documented 4xx',
} as const

function judge(
  operation: Operation,
  response: RecordedResponse,
  { expect, invented = [] }: SentProbe,
  oracle: SchemaOracle,
): Pick<VerifyCheck, 'state' | 'reasons' | 'findings'> {
  const { status } = response
  const { findings } = judgeResponse(operation, oracle, response)
  const reasons = findings.map((finding: Finding) => `${finding.at}: ${finding.message}`)
  if (findings.length === 0 && status === 429 && expect !== 429) {
    return {
      state: 'nothing-shown',
      reasons: ['the service limits the request rate (429); try --requests-per-minute'],
      findings,
    }
  }
  const unexpected = wrongStatus(operation, status, expect)
  if (unexpected) reasons.unshift(unexpected)
  if (unexpected && status >= 400 && invented.length > 0) {
    const names = invented.map((name) => `--param ${name}=...`).join(' ')
    reasons.push(`some values were generated, since the contract has no example; pass ${names}`)
  }
  return { state: reasons.length > 0 ? 'fail' : 'pass', reasons, findings }
}

function wrongStatus(operation: Operation, status: number, expect: Expected): string | undefined {
  if (status === 401 && expect !== 401 && operation.security.length > 0)
    return `expected ${typeof expect === 'number' ? expect : EXPECTED[expect]}, got 401: the credential was rejected`
  if (expect === 'documented' && status >= 400)
    return status < 500 ? undefined : `expected a status below 500, got ${status}`
  if (expect === 'error') {
    return status >= 400 && status < 500 ? undefined : `expected ${EXPECTED.error}, got ${status}`
  }
  if (typeof expect === 'number') return status === expect ? undefined : `expected ${expect}, got ${status}`
  if (status >= 200 && status < 300) return undefined
  const problem = `expected ${EXPECTED[expect]}, got ${status}`
  if (status >= 300 && status < 400) return redirectIsSuccess(operation) ? undefined : problem
  if (status !== 404) return problem
  return operation.parameters.some((one) => one.in === 'path')
    ? `${problem}: check the values of --param, and the path of the base URL`
    : `${problem}: ${operation.path} has no path parameters, so either the service doesn't have this path, or the path of the base URL is wrong`
}

function redirectIsSuccess({ responses }: Operation): boolean {
  return (
    !responses.some(({ status }) => status.startsWith('2')) &&
    responses.some(({ status }) => status.startsWith('3'))
  )
}

function checkOptions(
  spec: Spec,
  { baseUrl, servers = {}, credentials = {}, params = {}, allow = [], minCoverage }: VerifyOptions,
): void {
  checkMinCoverage(minCoverage)
  checkAddresses(baseUrl, servers, ['http', 'https'])
  const { operations } = spec
  checkNames(spec, 'security scheme', Object.keys(credentials), Object.keys(spec.securitySchemes))
  const ids = operations.map(({ id }) => id)
  checkNames(spec, 'operation', allow, ids)
  const scoped = operations.flatMap(({ id, parameters }) => parameters.map(({ name }) => `${id}.${name}`))
  const unscoped = Object.keys(params).filter((name) => !scoped.includes(name))
  const names = operations.flatMap((one) => one.parameters.map(({ name }) => name))
  checkNames(spec, 'parameter', unscoped, names)
  const urls = operations.map(({ server }) => server)
  checkNames(spec, 'server', Object.keys(servers), urls)
}
