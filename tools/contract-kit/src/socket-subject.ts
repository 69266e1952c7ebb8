import type {
  Drift,
  SendOutcome,
  SocketOpening,
  SocketOutcome,
  SocketSession,
  SocketSubject,
  SocketTarget,
} from '@concord/contract'
import {
  connect,
  createClient,
  SocketError,
  type ChannelDescriptor,
  type Client,
  type ClientOptions,
  type Connection,
  type ConnectOptions,
} from '@concord/runtime'
import type { CheckDescriptor } from '@concord/runtime/internal'

import { issuesOf, lineage } from './outcome.ts'

/** The channels of a package, and the options of its clients. */
export interface TestedSockets {
  readonly service: string
  readonly channels: { readonly [id: string]: ChannelDescriptor }
  /** Returns the URLs and credentials in the form in which the package's client passes them to the runtime. */
  options(target: SocketTarget): Pick<ClientOptions, 'servers' | 'credentials'>
}

/** Passes the channels of a package to the contract tests. */
export async function socketSubject({ service, channels, options }: TestedSockets): Promise<SocketSubject> {
  const accepts = async (check: CheckDescriptor): Promise<(value: unknown) => boolean> => {
    const schema = await check.schema()
    return (value) => {
      const verdict = issuesOf(schema, value).length === 0
      // The suite compares one verdict with the contract. The quick check's must be the same.
      if ((check.accepts?.(value) ?? verdict) !== verdict)
        throw new Error(`the quick check and the schema disagree on ${JSON.stringify(value)}`)
      return verdict
    }
  }
  const queries: Record<string, (value: unknown) => boolean> = {}
  const messages: Record<string, Record<string, (value: unknown) => boolean>> = {}
  for (const [id, { queryCheck, sends, receives }] of Object.entries(channels)) {
    queries[id] = queryCheck ? await accepts(queryCheck) : isObject
    messages[id] = {}
    for (const [key, { check }] of Object.entries({ ...sends, ...receives }))
      if (check) messages[id][key] = await accepts(check)
  }
  return {
    service,
    queries,
    messages,
    open: (id, { query }, target) => open(channels[id], query, target, options(target)),
  }
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

async function open(
  channel: ChannelDescriptor | undefined,
  query: object,
  target: SocketTarget,
  options: Pick<ClientOptions, 'servers' | 'credentials'>,
): Promise<SocketOpening> {
  if (!channel) return { kind: 'error', errorNames: ['none'], message: 'the package has no such channel' }
  const drift: Drift[] = []
  const client = createClient({
    ...options,
    clock: target.clock,
    onDrift: (report) => drift.push(...report.issues),
  })
  const documented = Object.fromEntries(
    Object.entries(query).filter(([name]) => channel.query.some((one) => one.name === name)),
  )
  const further = Object.fromEntries(Object.entries(query).filter(([name]) => !(name in documented)))
  const chosen: ConnectOptions<ChannelDescriptor> = {
    ...(Object.keys(documented).length > 0 || channel.queryCheck ? { query: { ...query } } : {}),
    ...(channel.queryCheck || Object.keys(further).length === 0 ? {} : { extra: { query: further } }),
    ...(channel.rules.gate
      ? { acknowledged: (one) => target.acknowledges(one.message ?? 'unknown', one.data) }
      : {}),
    ...(target.reconnect === true ? { reconnect: true } : {}),
  }
  try {
    const connection = await connect(client, channel, chosen)
    return { kind: 'open', session: sessionOf(client, channel, connection, drift) }
  } catch (error) {
    await client.close()
    return {
      kind: 'error',
      errorNames: lineage(error),
      message: error instanceof Error ? error.message : String(error),
      ...(SocketError.is(error) && error.status !== undefined ? { status: error.status } : {}),
      ...(SocketError.is(error) ? { body: error.body } : {}),
    }
  }
}

function sessionOf(
  client: Client,
  channel: ChannelDescriptor,
  connection: Connection<ChannelDescriptor>,
  drift: Drift[],
): SocketSession {
  const messages = connection[Symbol.asyncIterator]()
  const failed = (error: unknown): Extract<SendOutcome, { kind: 'error' }> => ({
    kind: 'error',
    errorNames: lineage(error),
    message: error instanceof Error ? error.message : String(error),
  })
  return {
    async send(message, payload) {
      const open = connection as Connection<ChannelDescriptor<unknown, Record<string, unknown>, unknown>>
      try {
        if (!(message in channel.replies)) {
          await open.send(message, payload)
          return { kind: 'sent' }
        }
        const response = (await open.request(message, payload)) as { message: string; data: unknown }
        return { kind: 'replied', message: response.message, data: response.data }
      } catch (error) {
        return failed(error)
      }
    },
    async receive(): Promise<SocketOutcome> {
      try {
        const { done, value } = await messages.next()
        if (!done) {
          return {
            kind: 'message',
            message: value.message ?? 'unknown',
            data: value.data,
            drift: drift.splice(0),
          }
        }
        const { closeCode } = await connection.closed
        return { kind: 'closed', code: closeCode, errorNames: [] }
      } catch (error) {
        return { kind: 'closed', errorNames: lineage(error) }
      }
    },
    async close() {
      await connection.close()
      await client.close()
    },
  }
}
