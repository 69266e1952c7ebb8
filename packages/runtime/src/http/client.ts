import type { Clock, RandomSource } from '../core/clock.ts'
import type { ClientEvent, DriftReport } from '../core/events.ts'
import type { OperationDescriptor } from '../core/operation.ts'
import type { CallInput, CallOptions } from './call-options.ts'
import type { Wanted } from './call.ts'
import { type ClientOptions, toClientCore } from './client-options.ts'
import { checkOpen, clientClosed, type ClientCore, emit, keepCore } from './client-state.ts'
import { report } from './observe.ts'
import { perform } from './pipeline.ts'
import { planOf } from './prepare.ts'
import type { Exchange } from './response.ts'

/** Sends the operations of a contract. @public */
export interface Client {
  /**
   * Sends an operation and gives the body of its success.
   *
   * @throws RequestInvalidError before anything is sent; ApiError for an answer with an error status;
   * UnexpectedContentError, ContractDriftError, ConnectionError, TimeoutError, DeadlineError,
   * SubmissionUncertainError. An abort throws the signal's own reason.
   */
  send<Input, Output, ErrorBody>(
    operation: OperationDescriptor<Input, Output, ErrorBody>,
    input: Input,
    options?: CallOptions,
  ): Promise<Output>
  /** The same, with status, headers, request id, quota and the body as it came. */
  exchange<Input, Output, ErrorBody>(
    operation: OperationDescriptor<Input, Output, ErrorBody>,
    input: Input,
    options?: CallOptions,
  ): Promise<Exchange<Output>>
  /** The clock that the client waits by. For libraries built on this one. */
  readonly clock: Clock
  /** Where the client draws its jitter from. For libraries built on this one. */
  readonly random: RandomSource
  /** Gives an event to the client's observer. For libraries built on this one. */
  emit(event: ClientEvent): void
  /** Tells of drift that a flow found, as the client does of its own. For libraries built on this one. */
  reportDrift(found: DriftReport): void
  /** Ends all connections. Calls in flight fail with a ConnectionError, later ones too. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** {@link Client.send} on its own, for functions that need no more. @public */
export type Send = Client['send']

/**
 * Makes a client. Opens nothing and loads nothing: that is left to the first call.
 *
 * @throws OptionsError when an option is missing, unknown or cannot be used.
 * @public
 */
export function createClient(options: ClientOptions): Client {
  return new HttpClient(toClientCore(options))
}

/** Everything is private, so that nothing of it is seen when a client is printed. */
class HttpClient implements Client {
  readonly #core: ClientCore

  constructor(core: ClientCore) {
    this.#core = core
    keepCore(this, core)
  }

  get clock(): Clock {
    return this.#core.clock
  }

  get random(): RandomSource {
    return this.#core.random
  }

  send<Input, Output, ErrorBody>(
    operation: OperationDescriptor<Input, Output, ErrorBody>,
    input: Input,
    options?: CallOptions,
  ): Promise<Output> {
    return this.#perform(operation, input as CallInput, options, 'data') as Promise<Output>
  }

  exchange<Input, Output, ErrorBody>(
    operation: OperationDescriptor<Input, Output, ErrorBody>,
    input: Input,
    options?: CallOptions,
  ): Promise<Exchange<Output>> {
    return this.#perform(operation, input as CallInput, options, 'exchange') as Promise<Exchange<Output>>
  }

  #perform(
    operation: OperationDescriptor,
    input: CallInput,
    options: CallOptions | undefined,
    wanted: Wanted,
  ): Promise<unknown> {
    try {
      const plan = planOf(this.#core, operation)
      checkOpen(this.#core, operation.id)
      return perform({ core: this.#core, plan }, input, options, wanted)
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
