import type { Clock, RandomSource } from '../core/clock.ts'
import type { ClientEvent, DriftReport } from '../core/events.ts'
import { load } from '../core/async.ts'
import type { OperationDescriptor } from '../core/descriptors.ts'
import type { CallInput, CallOptions } from './call-options.ts'
import type { ResponseMode } from './call.ts'
import { type ClientOptions, toClientCore } from './client-options.ts'
import { checkOpen, clientClosed, type ClientCore, emit, registerCore } from './client-state.ts'
import { report } from './observe.ts'
import { perform } from './pipeline.ts'
import { planOf } from './prepare.ts'
import type { Exchange } from './response.ts'

/** Sends the operations of a contract. @public */
export interface Client {
  /**
   * Sends an operation and returns the body of the success response.
   *
   * @throws RequestInvalidError before anything is sent; ApiError for a response with an error status;
   * also UnexpectedContentError, ContractDriftError, ConnectionError, TimeoutError, DeadlineError and
   * SubmissionUncertainError. An abort throws the signal's own reason.
   */
  send<Input, Output, ErrorBody>(
    operation: OperationDescriptor<Input, Output, ErrorBody>,
    input: Input,
    options?: CallOptions,
  ): Promise<Output>
  /** Like `send`, but also returns the unparsed body, the status, the headers, the request id and the quota. */
  exchange<Input, Output, ErrorBody, HeaderValues>(
    operation: OperationDescriptor<Input, Output, ErrorBody, HeaderValues>,
    input: Input,
    options?: CallOptions,
  ): Promise<Exchange<Output, HeaderValues>>
  /** The clock for all waits of the client. For libraries built on this one. */
  readonly clock: Clock
  /** The source of random numbers for the client's delays. For libraries built on this one. */
  readonly random: RandomSource
  /** Passes an event to the client's observer. For libraries built on this one. */
  emit(event: ClientEvent): void
  /**
   * Reports drift that a library found, in the same way as drift that the client finds. For libraries built on this
   * one.
   */
  reportDrift(found: DriftReport): void
  /** Closes all connections. Calls in flight and later calls fail with a ConnectionError. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** The type of {@link Client.send}, for functions that need only this method of a client. @public */
export type Send = Client['send']

/**
 * Creates a client. Connections are opened and network code is loaded only when you make the first call.
 *
 * @throws OptionsError if an option is missing, unknown or unusable.
 * @public
 */
export function createClient(options: ClientOptions): Client {
  return new HttpClient(toClientCore(options))
}

/** All fields are private, so that printing a client shows no internals. */
class HttpClient implements Client {
  readonly #core: ClientCore

  constructor(core: ClientCore) {
    this.#core = core
    registerCore(this, core)
  }

  get clock(): Clock {
    return this.#core.clock
  }

  get random(): RandomSource {
    return this.#core.random
  }

  // Bound to the client, so that callers can pass the method as a function: `api(client.send)`.
  readonly #send: Client['send'] = (operation, input, options) =>
    this.#perform(operation, input as CallInput, options, 'data') as Promise<never>

  readonly #exchange: Client['exchange'] = (operation, input, options) =>
    this.#perform(operation, input as CallInput, options, 'exchange') as Promise<never>

  get send(): Client['send'] {
    return this.#send
  }

  get exchange(): Client['exchange'] {
    return this.#exchange
  }

  #perform(
    operation: OperationDescriptor,
    input: CallInput,
    options: CallOptions | undefined,
    responseMode: ResponseMode,
  ): Promise<unknown> {
    try {
      const plan = planOf(this.#core, operation)
      checkOpen(this.#core, operation.id)
      return plan.hasItems
        ? load(import('./item-stream.ts'), { operation: operation.id }).then(({ openItems }) =>
            openItems(plan, input, options, responseMode),
          )
        : perform(plan, input, options, responseMode)
    } catch (error) {
      return Promise.reject(error as Error)
    }
  }

  emit(event: ClientEvent): void {
    emit(this.#core, event)
  }

  reportDrift({ operation, status, issues }: DriftReport): void {
    report(this.#core, operation, status, issues)
  }

  async close(): Promise<void> {
    if (this.#core.closed) return
    this.#core.closed = true
    this.#core.closing.abort(clientClosed())
    await this.#core.transport?.close?.()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  toJSON(): Record<string, unknown> {
    return { client: 'concord', servers: [...this.#core.servers.keys()] }
  }
}
