import {
  invalidOptions,
  readSocketSpecFile,
  readSpecFile,
  schemaOracle,
  type SocketSpec,
  type Spec,
} from '@concord/spec-model'

import { isJson, type HeaderLine } from '../http/exchange.ts'
import { documentedResponse, judgeResponse } from '../oracle/response-judge.ts'
import { withChannels } from '../socket/socket-spec.ts'
import { checkOptionNames, runnerOf } from '../suite/test-runner.ts'
import { isSocket, readHar, type Har } from './har.ts'
import { judgeHar, judgeSocketHar, type JudgedEntry } from './judge-har.ts'

/** A response that a test mocks. @public */
export interface MockedResponse {
  /** The `operationId`. If the operation has none, its method and path, such as `GET /jobs/{id}`. */
  readonly operation: string
  readonly status: number
  /** A JSON value, a string (if the media type isn't JSON), or bytes. Absent for a response without a body. */
  readonly body?: unknown
  /** If `content-type` is missing, a response with a body has the first media type documented for its status. */
  readonly headers?: Readonly<Record<string, string>>
  /** The name of this response in the messages of failed tests. */
  readonly name?: string
}

/** Defines a group of tests: `describe` of vitest, jest or `node:test`. @public */
export type DescribeTests = (name: string, define: () => void) => unknown

/** Defines a test: `it` of vitest, jest or `node:test`. @public */
export type DefineTest = (name: string, run: () => void) => unknown

/** Options of {@link describeContract}. @public */
export interface DescribeContractOptions {
  /** An OpenAPI file, the name of a service in `@concord/specs`, or a document that is already loaded. */
  readonly spec?: string | Spec
  /** For recorded WebSockets: an AsyncAPI file, the name of a service, or a document that is already loaded. */
  readonly sockets?: string | SocketSpec
  /** HAR documents, or the paths of HAR files. */
  readonly recordings?: string | Har | readonly (string | Har)[]
  /** Responses that tests mock. */
  readonly responses?: readonly MockedResponse[]
  /** The URL of the recorded service. Default: the base URLs in the recording (`_baseUrls`), if any. */
  readonly baseUrl?: string
  /**
   * The percentage of operations and channels for which a recorded or mocked response is required. With 0 (the
   * default), one response in total is enough.
   */
  readonly minCoverage?: number
  /** Default: the global `describe`. */
  readonly describe?: DescribeTests
  /** Default: the global `it`. */
  readonly it?: DefineTest
}

interface Found extends JudgedEntry {
  /** Identifies the response in failure messages: recording and entry number, or the mocked response's name. */
  readonly from: string
}

/**
 * Defines tests that check recorded or mocked responses against a contract: one test for each operation and status
 * in these responses, and one for the coverage. A failure lists the location and reason of every difference, but no
 * values.
 *
 * This function works with any test runner that has `describe` and `it`.
 *
 * @example
 * ```ts
 * describeContract({ spec: 'openapi.yaml', recordings: 'recordings/session.har' })
 * describeContract({ spec: 'openapi.yaml', responses: [{ operation: 'getJob', status: 200, body: { id: '1' } }] })
 * ```
 * @throws ContractError if a document or a recording can't be read, or an option is invalid.
 * @public
 */
export function describeContract(options: DescribeContractOptions): void {
  checkOptionNames('describeContract', options, OPTIONS)
  const { describe, it } = runnerOf('describeContract', options, ['describe', 'it'])
  const { names, title, found, unreadable } = foundIn(options)
  describe(`contract: ${title}`, () => {
    const groups = new Map<string, Found[]>()
    for (const one of found) {
      const { operation, method, path, status } = one
      const name = operation === undefined ? `${method} ${path} ${status}` : `${operation} ${status}`
      groups.set(name, [...(groups.get(name) ?? []), one])
    }
    for (const [name, group] of groups) {
      const many = group.length === 1 ? 'the response is' : `all ${group.length} responses are`
      it(`${name}: ${many} as documented`, () => {
        const lines = group.flatMap(({ from, findings }) =>
          findings.map(({ at, message }) => `${from}: ${at}: ${message}`),
        )
        if (lines.length > 0)
          throw new Error(`${name} violates the contract of ${title}.\n${lines.join('\n')}`)
      })
    }
    it('enough responses were found', () => {
      const covered = new Set(found.flatMap(({ operation }) => operation ?? []))
      const percent = names.length === 0 ? 0 : (100 * covered.size) / names.length
      const { minCoverage = 0 } = options
      if (covered.size > 0 && percent >= minCoverage) return
      const without = names.filter((one) => !covered.has(one))
      throw new Error(
        `Responses were found for ${covered.size} of ${names.length} operations and channels (${Math.floor(percent)} %), but ${minCoverage > 0 ? `${minCoverage} % are` : 'at least one is'} required.${unreadable} No response was found for: ${without.join(', ')}.`,
      )
    })
  })
}

const OPTIONS = {
  spec: true,
  sockets: true,
  recordings: true,
  responses: true,
  baseUrl: true,
  minCoverage: true,
  describe: true,
  it: true,
} satisfies Record<keyof DescribeContractOptions, true>

function foundIn({ spec, sockets, recordings = [], responses = [], baseUrl }: DescribeContractOptions): {
  readonly names: readonly string[]
  readonly title: string
  readonly found: readonly Found[]
  readonly unreadable: string
} {
  const http = typeof spec === 'string' ? readSpecFile(spec) : spec
  const live = typeof sockets === 'string' ? readSocketSpecFile(sockets) : sockets
  if (live) withChannels(live)
  if (!http && !live)
    throw invalidOptions(
      'describeContract() was called without a contract.',
      'Pass `spec` (an OpenAPI file), `sockets` (an AsyncAPI file), or both.',
    )
  if (responses.length > 0 && !http)
    throw invalidOptions('Mocked `responses` need an OpenAPI contract.', 'Pass `spec`, an OpenAPI file.')
  let ignored = 0
  const list = Array.isArray(recordings)
    ? (recordings as readonly (string | Har)[])
    : [recordings as string | Har]
  const found = list.flatMap((one, at): Found[] => {
    const har = typeof one === 'string' ? readHar(one) : one
    const name = typeof one === 'string' ? one : list.length > 1 ? `recording ${at + 1}` : 'the recording'
    const judged = [
      ...(http ? judgeHar(http, har, baseUrl) : []),
      ...(live ? judgeSocketHar(live, har, baseUrl) : []),
    ]
    const checked = har.log.entries.filter((entry) => (isSocket(entry) ? live : http) !== undefined)
    ignored += checked.length - judged.length
    return judged.map((entry) => ({ ...entry, from: `${name}, entry ${entry.entry}` }))
  })
  const mocked = responses.map((one, at): Found => {
    const judged = judgeMockedResponse(http!, one)
    return { entry: at + 1, ...judged, from: one.name ?? `response ${at + 1}` }
  })
  const unreadable =
    ignored > 0
      ? ` ${ignored} recorded ${ignored === 1 ? "exchange doesn't" : "exchanges don't"} belong to the contract; is \`baseUrl\` right?`
      : ''
  const names = [...(http?.operations ?? []), ...(live?.channels ?? [])].map(({ id }) => id)
  return { names, title: http?.name ?? live?.name ?? '', found: [...found, ...mocked], unreadable }
}

function judgeMockedResponse(spec: Spec, given: MockedResponse): Omit<JudgedEntry, 'entry'> {
  const operation = spec.operations.find(({ id }) => id === given.operation)
  if (!operation) {
    const known = spec.operations.map(({ id }) => id).join(', ')
    throw invalidOptions(
      `The contract of ${spec.name} has no operation \`${given.operation}\`.`,
      `It has: ${known}.`,
    )
  }
  const { status, body, headers = {} } = given
  const lines = Object.entries(headers) as HeaderLine[]
  const named = lines.find(([name]) => name.toLowerCase() === 'content-type')?.[1]
  const documented = documentedResponse(operation, status)
  const type = named ?? documented?.media[0]?.type
  const bytes =
    body === undefined
      ? new Uint8Array()
      : body instanceof Uint8Array
        ? body
        : Buffer.from(typeof body === 'string' && !isJson(type ?? '') ? body : JSON.stringify(body))
  const exchanged = {
    status,
    headers:
      named === undefined && type !== undefined && bytes.length > 0
        ? [...lines, ['content-type', type] as const]
        : lines,
    body: bytes,
  }
  const { findings } = judgeResponse(operation, schemaOracle(spec), exchanged)
  return { operation: operation.id, method: operation.method, path: operation.path, status, findings }
}
