import { ContractError, loadSpec, type Operation, schemaOracle, type Spec } from '@concord/spec-model'
import type { Finding, RecordedAnswer } from '../http/exchange.ts'
import { forwarder, type Forwarder } from '../http/forward.ts'
import { buildRequest } from '../oracle/build-request.ts'
import { judgeResponse } from '../oracle/response-judge.ts'
import type { Credentials } from '../oracle/security.ts'
import { probesFor, type Expected, type Probe } from './probes.ts'
import { isSuccess, verifyReport, type VerifyCheck, type VerifyReport } from './report.ts'

/** How {@link verify} works. @public */
export interface VerifyOptions {
  /** A file, the name of a service of `@concord/specs`, or a document that was read before. */
  readonly spec: string | Spec
  /** The address of the service. It may have a path. */
  readonly baseUrl: string
  /** Further addresses, by the address template of the document, where it names several servers. */
  readonly servers?: Readonly<Record<string, string>>
  /** Secrets by the name of the security scheme. They are sent to the service, and never shown. */
  readonly credentials?: Credentials
  /** Values of parameters by name, such as the identifier of something that exists. */
  readonly params?: Readonly<Record<string, string>>
  /** Also calls operations that may submit or change something, once each. Default false. */
  readonly allowWrites?: boolean
  /** Files for operations that take one, by the name of the form part. */
  readonly files?: Readonly<Record<string, File>>
  /** How many of a hundred operations must answer with a success for the verification to pass. Default 0. */
  readonly minCoverage?: number
  /** Fails when anything was not run. Default false. */
  readonly strict?: boolean
  /** Milliseconds for one request. Default 10,000. */
  readonly timeoutMs?: number
  /** At most this many requests a minute. Default: as fast as the service answers. */
  readonly requestsPerMinute?: number
  /** Waits; for tests. */
  readonly sleep?: (delayMs: number) => Promise<void>
}

/**
 * Asks a live or staged service whether it keeps to the contract: one safe request after the other, each answer
 * judged by Ajv on the spec. No client is involved.
 *
 * @throws ContractError when the spec or an option cannot be used, or the service cannot be reached at all.
 * @public
 */
export async function verify(options: VerifyOptions): Promise<VerifyReport> {
  const spec = typeof options.spec === 'string' ? await loadSpec(options.spec) : options.spec
  const session = new Session(spec, options)
  const operations = []
  for (const operation of spec.operations) {
    const { id, method, path } = operation
    operations.push({ operation: id, method, path, checks: await session.check(operation) })
  }
  return verifyReport(spec.name, shownAddress(options.baseUrl), operations, options)
}

class Session {
  readonly #spec: Spec
  readonly #options: VerifyOptions
  readonly #oracle
  readonly #forwarders = new Map<string, Forwarder>()
  #sent = 0

  constructor(spec: Spec, options: VerifyOptions) {
    this.#spec = spec
    this.#options = options
    this.#oracle = schemaOracle(spec)
    checkOptions(spec, options)
  }

  async check(operation: Operation): Promise<VerifyCheck[]> {
    const { credentials = {}, params = {}, allowWrites = false, files = {} } = this.#options
    const settings = { credentials, params, allowWrites, files }
    const checks: VerifyCheck[] = []
    for (const probe of probesFor(this.#spec, this.#oracle, operation, settings)) {
      checks.push(await this.#probe(operation, probe))
    }
    return checks.some(isSuccess) ? checks : checks.map(withoutProof)
  }

  async #probe(operation: Operation, probe: Probe): Promise<VerifyCheck> {
    const { title } = probe
    if ('notRun' in probe) return { title, state: 'not-run', reasons: [probe.notRun], findings: [] }
    const { request, way, credentials, expect } = probe
    const built = await buildRequest(this.#spec, operation, { ...request, way, credentials })
    const forwarder = this.#forwarder(operation)
    if (!forwarder) {
      const reason = `the address of its server is not given; add --server '${operation.server}=URL'`
      return { title, state: 'not-run', reasons: [reason], findings: [] }
    }
    await this.#pace()
    let answer: RecordedAnswer
    try {
      answer = await forwarder.send(built)
    } catch (error) {
      // The first request tells whether there is a service at all.
      if (this.#sent === 1) throw error
      return {
        title,
        state: 'fail',
        reasons: [error instanceof Error ? error.message : 'no answer'],
        findings: [],
      }
    }
    return { title, status: answer.status, ...judge(operation, answer, expect, this.#oracle) }
  }

  #forwarder(operation: Operation): Forwarder | undefined {
    const { baseUrl, servers = {}, timeoutMs = 10_000 } = this.#options
    const first = this.#spec.operations[0]?.server
    const address = servers[operation.server] ?? (operation.server === first ? baseUrl : undefined)
    if (address === undefined) return undefined
    const known = this.#forwarders.get(address) ?? forwarder(address, { timeoutMs })
    this.#forwarders.set(address, known)
    return known
  }

  async #pace(): Promise<void> {
    const { requestsPerMinute, sleep = pause } = this.#options
    this.#sent += 1
    if (requestsPerMinute !== undefined && this.#sent > 1) await sleep(60_000 / requestsPerMinute)
  }
}

/**
 * Without a success of the operation, an expected error proves nothing: a server that answers every request like that
 * would pass too.
 */
function withoutProof(check: VerifyCheck): VerifyCheck {
  if (check.state !== 'pass') return check
  const reason = `${check.status} is as documented, but any server that always answers ${check.status} would pass: no success of this operation was seen`
  return { ...check, state: 'not-run', reasons: [reason] }
}

const pause = (delayMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, delayMs))

const EXPECTED = {
  success: 'a success',
  documented: 'a documented answer below 500',
  error: 'a documented 4xx',
} as const

function judge(
  operation: Operation,
  answer: RecordedAnswer,
  expect: Expected,
  oracle: ReturnType<typeof schemaOracle>,
): Pick<VerifyCheck, 'state' | 'reasons' | 'findings'> {
  const { status } = answer
  const { findings } = judgeResponse(operation, oracle, answer)
  const reasons = findings.map((finding: Finding) => `${finding.at}: ${finding.message}`)
  if (findings.length === 0 && status === 429 && expect !== 429) {
    return {
      state: 'not-run',
      reasons: ['the service limits the rate (429); try --requests-per-minute'],
      findings,
    }
  }
  const unexpected = wrongStatus(operation, status, expect)
  if (unexpected) reasons.unshift(unexpected)
  return { state: reasons.length > 0 ? 'fail' : 'pass', reasons, findings }
}

function wrongStatus(operation: Operation, status: number, expect: Expected): string | undefined {
  if (status === 401 && expect !== 401 && operation.security.length > 0)
    return `expected ${typeof expect === 'number' ? expect : EXPECTED[expect]}, got 401: the credential was rejected`
  if (expect === 'documented') return status < 500 ? undefined : `the service failed with ${status}`
  if (expect === 'error') {
    return status >= 400 && status < 500 ? undefined : `expected ${EXPECTED.error}, got ${status}`
  }
  if (typeof expect === 'number') return status === expect ? undefined : `expected ${expect}, got ${status}`
  if (status >= 200 && status < 300) return undefined
  const problem = `expected ${EXPECTED.success}, got ${status}`
  if (status !== 404) return problem
  return operation.parameters.some((one) => one.in === 'path')
    ? `${problem}: check the values of --param, and the path of the base address`
    : `${problem}: ${operation.path} has no parameters, so the path of the base address is probably wrong`
}

function checkOptions(
  spec: Spec,
  { baseUrl, servers = {}, credentials = {}, params = {}, minCoverage = 0 }: VerifyOptions,
): void {
  if (!(minCoverage >= 0 && minCoverage <= 100)) {
    throw new ContractError(
      'invalid-options',
      `A minimum coverage of ${minCoverage} can't be reached.`,
      'Pass a percentage from 0 to 100.',
    )
  }
  for (const address of [baseUrl, ...Object.values(servers)]) {
    const parsed = URL.parse(address)
    if (parsed && /^https?:$/.test(parsed.protocol) && parsed.username === '') continue
    throw new ContractError(
      'invalid-options',
      `${parsed ? shownAddress(address) : 'The address that was given'} cannot be used as an address.`,
      'Pass an address that begins with http:// or https://, without user name and password.',
    )
  }
  const unknown = (given: Readonly<Record<string, string>>, known: readonly string[], what: string): void => {
    const stray = Object.keys(given).find((name) => !known.includes(name))
    if (stray === undefined) return
    const names = known.length > 0 ? `one of ${known.join(', ')}` : 'none'
    throw new ContractError('invalid-options', `${spec.name} has no ${what} ${stray}.`, `It has ${names}.`)
  }
  unknown(credentials, Object.keys(spec.securitySchemes), 'security scheme')
  const parameters = spec.operations.flatMap((one) => one.parameters.map((parameter) => parameter.name))
  unknown(params, [...new Set(parameters)], 'parameter')
  unknown(servers, [...new Set(spec.operations.map((one) => one.server))], 'server')
}

/** An address as it may be shown: without user name, password and query. */
export function shownAddress(address: string): string {
  const { protocol, host, pathname } = new URL(address)
  // A scheme that is none of the web's has no origin; `localhost:80` is read as one.
  return host === '' ? `${protocol}${pathname}` : `${protocol}//${host}${pathname.replace(/\/$/, '')}`
}
