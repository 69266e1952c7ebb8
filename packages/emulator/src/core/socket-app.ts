import { judgeHandshake } from './channel-oracle.ts'
import type { Channel } from './channels.ts'
import { trackUsedChoices } from './choices.ts'
import { ServedConnection } from './connection.ts'
import { identify } from './credentials.ts'
import { checkHandlers, describeError, EmulatorError, type Mismatch } from './errors.ts'
import { applyBefore } from './fault-effects.ts'
import { SOCKET_FAULTS, UPGRADE_FAULTS, type Fault } from './faults.ts'
import { toThrown, type RequestRecord } from './records.ts'
import { reasonsOf } from './denials.ts'
import type { Reply } from './reply.ts'
import { createRouter, type Match } from './router.ts'
import type { Service } from './service.ts'
import type { ServingTools } from './service-module.ts'
import type {
  Handshake,
  OpenConnection,
  SocketEndpoint,
  SocketService,
  Upgrade,
  UpgradeResult,
} from './socket-service.ts'

interface SocketTools<Caller> extends ServingTools {
  readonly service: Pick<Service<Caller>, 'name' | 'authenticate' | 'publicCaller'>
  readonly basePaths: Readonly<Record<string, string>>
  toResponse(reply: Reply): Response
  routeUnknown(): Reply
}

export class SocketApp<Caller> implements SocketEndpoint {
  readonly messageLimitBytes: number
  readonly #service: SocketService<Caller>
  readonly #tools: SocketTools<Caller>
  readonly #route: (method: string, path: string) => Match<{ method: string; path: string; channel: Channel }>
  readonly #connections = new Set<OpenConnection>()
  #ids = 0

  /** @throws HandlerMismatchError if the handlers don't match the channels of the contract one to one. */
  constructor(service: SocketService<Caller>, tools: SocketTools<Caller>) {
    const { channels } = service.specification
    checkHandlers(
      tools.service.name,
      'channels',
      channels.map(({ id }) => id),
      service.handlers,
    )
    this.messageLimitBytes = service.messageLimitBytes
    this.#service = service
    this.#tools = tools
    this.#route = createRouter(
      channels.map((channel) => ({
        method: 'GET',
        path: (tools.basePaths[channel.baseUrlName] ?? '') + channel.address,
        channel,
      })),
    )
    tools.closing.addEventListener('abort', () => {
      for (const connection of this.#connections) connection.terminate()
    })
  }

  open(): OpenConnection[] {
    return [...this.#connections]
  }

  /**
   * Don't pass the upgrade to `clock.track`. A virtual clock advances only when all tracked work has settled, but an
   * injected latency ends only when the clock advances. An upgrade without faults needs no tracking, because it waits
   * for nothing.
   */
  async upgrade(request: Upgrade): Promise<UpgradeResult> {
    if (this.#tools.closing.aborted)
      throw new EmulatorError('closed', 'The emulator was closed. Create a new emulator.')
    const { clock, records } = this.#tools
    const { pathname: path } = request.url
    const record = records.request({ at: clock.now(), method: 'GET', path, faults: [], mismatches: [] })
    try {
      return await trackUsedChoices(() => this.#upgrade(request, record))
    } catch (error) {
      throw toThrown(error, record, request.signal, this.#tools)
    }
  }

  async #upgrade(request: Upgrade, record: RequestRecord): Promise<UpgradeResult> {
    const { clock, faults, closing, random, routeUnknown } = this.#tools
    const channel = this.#route('GET', record.path).found?.channel
    if (!channel) return this.#deny(routeUnknown(), record)
    record.operationId = channel.id
    const drawn = faults.draw(channel.id, UPGRADE_FAULTS)
    record.faults.push(...drawn.map(({ kind }) => kind))
    const signal = AbortSignal.any([request.signal, closing])
    const early = await applyBefore(drawn, { clock, random, signal })
    signal.throwIfAborted()
    const admitted = early ?? this.#admit(channel, request, record)
    if ('status' in admitted) return this.#deny(admitted, record)
    record.status = 101
    return this.#accept(admitted.handshake, admitted.release, drawn)
  }

  #admit(
    channel: Channel,
    { url, headers }: Upgrade,
    record: RequestRecord,
  ): Reply | { handshake: Handshake<Caller>; release(): void } {
    const service = this.#service
    const { caller, problem } = identify(this.#tools.service, channel, headers, url)
    if (problem) return service.deny({ kind: problem })
    const query = url.searchParams
    const mismatches = judgeHandshake(service.specification, channel, query)
    if (mismatches.length > 0) {
      record.mismatches = mismatches
      this.#recordViolation(channel, 'received', mismatches, 'a handshake')
      return service.deny({ kind: 'query-rejected', channel, mismatches })
    }
    const handshake = { channel, query, ...(caller === undefined ? {} : { caller }) }
    const admitted = service.admit(handshake)
    return typeof admitted === 'function' ? { handshake, release: admitted } : admitted
  }

  #deny(reply: Reply, record: RequestRecord): UpgradeResult {
    record.status = reply.status
    return { denial: this.#tools.toResponse(reply) }
  }

  #accept(handshake: Handshake<Caller>, release: () => void, drawn: readonly Fault[]): UpgradeResult {
    const { channel } = handshake
    const { service, faults, log, closing } = this.#tools
    return {
      abandon: release,
      accept: (wire) => {
        const connection = new ServedConnection(handshake, wire, {
          ...this.#tools,
          id: ++this.#ids,
          faults: faults.draw(channel.id, SOCKET_FAULTS),
          service: this.#service,
          rejected: (on, direction, mismatches) =>
            this.#recordViolation(on, direction, mismatches, 'a message'),
          failed: (error) => log('error', `${service.name}: ${channel.id}: ${describeError(error)}`),
          closed: (own) => {
            this.#connections.delete(own)
            release()
          },
        })
        this.#connections.add(connection)
        // A reset fault with `when: 'after'` (or 'mid-body') breaks the connection as soon as it opens.
        const breaks = closing.aborted || drawn.some(({ kind }) => kind === 'reset')
        if (breaks) queueMicrotask(() => connection.terminate())
        return connection.events
      },
    }
  }

  #recordViolation(
    { id }: Channel,
    direction: 'received' | 'sent',
    mismatches: readonly Mismatch[],
    what: string,
  ): void {
    const { clock, records, log, service } = this.#tools
    records.violation({ at: clock.now(), direction, operationId: id, mismatches })
    if (direction === 'received')
      log(
        'warn',
        `${service.name}: the contract rejects ${what} on the channel ${id}: ${reasonsOf(mismatches).join('; ')}`,
      )
  }
}
