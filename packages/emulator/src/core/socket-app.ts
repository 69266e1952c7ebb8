import { judgeGiven, judgeHandshake, readFrame } from './channel-oracle.ts'
import type { Channel } from './channels.ts'
import { openConnection, type OpenConnection } from './connection.ts'
import type { ControlledClock } from './controlled-clock.ts'
import { authenticate, readCredentials } from './credentials.ts'
import { notingChoices } from './choices.ts'
import {
  ChoiceError,
  ConnectionBrokenError,
  describeError,
  EmulatorError,
  HandlerMismatchError,
} from './errors.ts'
import { applyBefore } from './fault-effects.ts'
import { SOCKET_FAULTS, UPGRADE_FAULTS, type Fault, type Faults } from './faults.ts'
import type { Journal, RequestRecord } from './journal.ts'
import type { Log } from './log.ts'
import type { Reply } from './reply.ts'
import { createRouter } from './router.ts'
import type { SocketService, Upgrade } from './socket-service.ts'
import type { UpgradeAnswer } from './wire.ts'

/** What the WebSockets of a service work with. */
export interface SocketTools {
  name: string
  clock: ControlledClock
  random: () => number
  faults: Faults
  journal: Journal
  log: Log
  /** What the paths under each address start with. */
  prefixes: Readonly<Record<string, string>>
  closing: AbortSignal
  toResponse(reply: Reply): Response
  routeUnknown(): Reply
}

/** The WebSockets of a service. */
export interface SocketApp {
  /** Answers the request for a WebSocket. */
  upgrade(upgrade: Upgrade): Promise<UpgradeAnswer>
  messageLimitBytes: number
  /** The connections that are open. */
  open(): OpenConnection[]
}

/**
 * Puts the WebSocket half of a service together.
 *
 * @throws HandlerMismatchError where its handlers are not exactly the channels of its contract.
 */
export function createSocketApp<Caller>(service: SocketService<Caller>, tools: SocketTools): SocketApp {
  const { name, clock, faults, journal, log, closing } = tools
  const { specification } = service
  checkHandlers(name, specification.channels, Object.keys(service.handlers))
  const route = createRouter(
    specification.channels.map((channel) => ({
      method: 'GET',
      path: (tools.prefixes[channel.address] ?? '') + channel.path,
      channel,
    })),
  )
  const connections = new Set<OpenConnection>()
  let ids = 0
  closing.addEventListener('abort', () => {
    for (const connection of connections) connection.terminate()
  })

  async function upgrade(request: Upgrade): Promise<UpgradeAnswer> {
    const { url, headers } = request
    const record = journal.request({
      at: clock.now(),
      method: 'GET',
      path: url.pathname,
      faults: [],
      mismatches: [],
    })
    const channel = route('GET', url.pathname).found?.channel
    if (!channel) return refuse(tools.routeUnknown(), record)
    record.operationId = channel.id
    const drawn = faults.draw(channel.id, UPGRADE_FAULTS)
    record.faults.push(...drawn.map(({ kind }) => kind))
    const signal = AbortSignal.any([request.signal, closing])
    const early = await applyBefore(drawn, { clock, random: tools.random, signal })
    signal.throwIfAborted()
    if (early) return refuse(early, record)

    const credentials = readCredentials(channel.security, headers, url)
    const caller = authenticate(credentials, service) ?? service.publicCaller?.(channel.id)
    if (channel.security.length > 0 && caller === undefined)
      return refuse(service.refuse({ kind: credentials.length > 0 ? 'key-invalid' : 'key-missing' }), record)
    const query = url.searchParams
    const mismatches = judgeHandshake(specification, channel, query)
    if (mismatches.length > 0) {
      record.mismatches = mismatches
      note(channel, 'received', mismatches, 'a handshake')
      return refuse(service.refuse({ kind: 'query-refused', channel, mismatches }), record)
    }
    const { remoteAddress } = request
    const handshake = { channel, query, headers, remoteAddress, ...(caller === undefined ? {} : { caller }) }
    const admitted = service.admit(handshake)
    if (typeof admitted !== 'function') return refuse(admitted, record)
    record.status = 101
    return accept(handshake, admitted, drawn)
  }

  function refuse(reply: Reply, record: RequestRecord): UpgradeAnswer {
    record.status = reply.status
    return { refusal: tools.toResponse(reply) }
  }

  function accept(
    handshake: Parameters<SocketService<Caller>['admit']>[0],
    release: () => void,
    drawn: readonly Fault[],
  ): UpgradeAnswer {
    const { channel } = handshake
    return {
      abandon: release,
      accept(wire) {
        const happening = faults.draw(channel.id, SOCKET_FAULTS)
        const id = ++ids
        const { connection, events } = openConnection(handshake, wire, {
          id,
          clock,
          random: tools.random,
          faults: happening,
          journal,
          read: (frame) => readFrame(specification, channel, frame),
          judge: (key, payload) => judgeGiven(specification, channel, key, payload),
          note: (direction, mismatches) => note(channel, direction, mismatches, 'a message'),
          failed: (error) => log('error', `${name}: ${channel.id}: ${describeError(error)}`),
          closeFor: (cause) => service.closeFor(cause, channel, id),
          countsAsAudio: (frame) => service.countsAsAudio?.(frame) ?? true,
          handler: (own) => {
            const create = service.handlers[channel.id]
            if (!create) throw new HandlerMismatchError(`There is no handler for ${channel.id}.`)
            return create(own)
          },
          over(own) {
            connections.delete(own)
            release()
          },
        })
        connections.add(connection)
        // A reset that is asked for after the answer breaks the connection as soon as it is open.
        if (drawn.some(({ kind }) => kind === 'reset')) queueMicrotask(() => connection.terminate())
        if (closing.aborted) queueMicrotask(() => connection.terminate())
        return events
      },
    }
  }

  function note(
    channel: Channel,
    direction: 'received' | 'sent',
    mismatches: Parameters<Journal['violation']>[0]['mismatches'],
    what: string,
  ): void {
    journal.violation({ at: clock.now(), direction, operationId: channel.id, mismatches })
    const list = mismatches.map(({ path, reason }) => `${path} ${reason}`).join('; ')
    if (direction === 'received')
      log('warn', `${name}: the contract rejects ${what} on ${channel.id}: ${list}`)
  }

  return {
    messageLimitBytes: service.messageLimitBytes,
    open: () => [...connections],
    // Not tracked by the clock: it waits for nothing but a latency that was asked for.
    async upgrade(request) {
      if (closing.aborted) throw new EmulatorError('closed', 'The emulator was closed. Make a new one.')
      try {
        return await notingChoices(() => upgrade(request))
      } catch (error) {
        if (error instanceof ConnectionBrokenError) {
          log('info', `${name}: ${error.message}`)
          throw error
        }
        if (request.signal.aborted) throw request.signal.reason
        if (closing.aborted) throw new ConnectionBrokenError('after')
        const failure =
          error instanceof ChoiceError
            ? error.at(request.url.pathname)
            : error instanceof EmulatorError
              ? error
              : new EmulatorError(
                  'handler-failed',
                  `The emulator failed to answer an upgrade: ${String(error)}`,
                  {
                    cause: error,
                  },
                )
        log('error', `${name}: ${request.url.pathname}: ${describeError(failure)}`)
        throw failure
      }
    },
  }
}

function checkHandlers(name: string, channels: readonly Channel[], handlers: readonly string[]): void {
  const missing = channels.map(({ id }) => id).filter((id) => !handlers.includes(id))
  const extra = handlers.filter((id) => !channels.some((channel) => channel.id === id))
  if (missing.length > 0)
    throw new HandlerMismatchError(
      `The contract of ${name} has channels that the emulator has no handler for: ${missing.join(', ')}.`,
    )
  if (extra.length > 0)
    throw new HandlerMismatchError(
      `The emulator has handlers for channels that the contract of ${name} does not have: ${extra.join(', ')}.`,
    )
}
