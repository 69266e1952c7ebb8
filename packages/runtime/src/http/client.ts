import type { Clock } from '../core/clock.ts'
import { ConnectionError } from '../core/errors.ts'
import type { ClientEvent } from '../core/events.ts'
import type { OperationDescriptor } from '../core/operation.ts'
import type { RandomSource } from '../core/random.ts'
import type { Exchange } from './answer.ts'
import type { CallInput, CallOptions } from './call-options.ts'
import { toClientCore } from './client-core.ts'
import type { ClientOptions } from './client-options.ts'
import type { ClientCore } from './core.ts'
import { emit } from './drift.ts'
import { perform } from './pipeline.ts'
import { type Plan, prepare } from './prepare.ts'

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
  readonly #plans = new WeakMap<OperationDescriptor, Plan>()

  constructor(core: ClientCore) {
    this.#core = core
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
    return this.#perform(operation, input as CallInput, options, false) as Promise<Output>
  }

  exchange<Input, Output, ErrorBody>(
    operation: OperationDescriptor<Input, Output, ErrorBody>,
    input: Input,
    options?: CallOptions,
  ): Promise<Exchange<Output>> {
    return this.#perform(operation, input as CallInput, options, true) as Promise<Exchange<Output>>
  }

  #perform(
    operation: OperationDescriptor,
    input: CallInput,
    options: CallOptions | undefined,
    whole: boolean,
  ): Promise<unknown> {
    try {
      let plan = this.#plans.get(operation)
      if (plan === undefined) {
        plan = prepare(this.#core, operation)
        this.#plans.set(operation, plan)
      }
      if (this.#core.closed) throw closed(operation)
      return perform(this.#core, plan, input, options, whole)
    } catch (error) {
      return Promise.reject(error as Error)
    }
  }

  emit(event: ClientEvent): void {
    emit(this.#core, event)
  }

  async close(): Promise<void> {
    if (this.#core.closed) return
    this.#core.closed = true
    await this.#core.transport?.close?.()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  toJSON(): Record<string, unknown> {
    return { client: 'concord', servers: [...this.#core.servers.keys()] }
  }
}

function closed({ id }: OperationDescriptor): ConnectionError {
  return new ConnectionError(
    `${id}: the client is closed. Make another one; nothing was sent.`,
    { phase: 'connect', sent: 'no' },
    { operation: id },
  )
}
