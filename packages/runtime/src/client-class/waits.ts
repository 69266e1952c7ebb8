import type { CallInput, CallOptions } from '../http/call-options.ts'
import type { Client } from '../http/client.ts'
import { submit } from '../http/submit.ts'
import type { OperationDescriptor } from '../core/operation.ts'
import type { OperationHandle } from '../poll/operation-handle.ts'
import { defineOperationKind } from '../poll/operation-kind.ts'
import { PollScheduler } from '../poll/poll-scheduler.ts'
import type { PollingOptions } from '../poll/polling-plan.ts'

/** Settings of one wait. @public */
export interface HandleOptions {
  /** Delays and limits. They override those of the client. */
  readonly polling?: PollingOptions
}

/** Creates handles on long-running work whose state one operation shows. @public */
export interface Waiting<Input, Output> {
  /** A handle on the work that this input of the operation names. The first poll comes with the first wait, at once. */
  (input: Input, options?: HandleOptions): OperationHandle<Output>
  /**
   * Returns a handle from a resume token, also in another process.
   *
   * @throws OptionsError if the token is not complete, is of another operation, or was made by a newer version.
   */
  resume(token: string, options?: HandleOptions): OperationHandle<Output>
}

/** Settings of a submission, and of the wait for the work that it begins. @public */
export interface SubmissionOptions extends CallOptions, HandleOptions {}

/** Sends a submission and returns a handle on the work that it begins. @public */
export type Submitting<Input, Output> = (
  input: Input,
  options?: SubmissionOptions,
) => Promise<OperationHandle<Output>>

/** A poll is sent once: after a failed one, the next poll is the retry. */
const ONE_ATTEMPT = { maxAttempts: 1 } as const satisfies CallOptions

/** Creates the waits of a client, which share one scheduler. @public */
export class Waits {
  readonly #client: Client
  readonly #service: string
  readonly #polling: PollingOptions | undefined
  readonly #scheduler: PollScheduler

  /** @param service Begins the kinds in resume tokens; it must never change. */
  constructor(client: Client, service: string, polling: PollingOptions | undefined) {
    this.#client = client
    this.#service = service
    this.#polling = polling
    this.#scheduler = new PollScheduler({ clock: client.clock, random: client.random })
  }

  of<Input, Output, ErrorBody>(
    operation: OperationDescriptor<Input, Output, ErrorBody>,
  ): Waiting<Input, Output> {
    const client = this.#client
    const kind = defineOperationKind<Output>({
      kind: `${this.#service}.${operation.id}`,
      label: operation.id,
      operation: operation.id,
      waiter: operation.waiter!,
      scheduler: this.#scheduler,
      polling: this.#polling,
      poll: (_id, signal, extra) => client.exchange(operation, extra as Input, { ...ONE_ATTEMPT, signal }),
      observe: (event) => client.emit(event),
    })
    return Object.assign(
      (input: Input, options: HandleOptions = {}) =>
        kind.attach(idOf(operation, input as CallInput), {
          ...options,
          extra: (input ?? {}) as Readonly<Record<string, unknown>>,
        }),
      { resume: (token: string, options: HandleOptions = {}) => kind.resume(token, options) },
    )
  }

  /**
   * Submissions of work that another operation shows, at the address of the submission with the id of the work after it.
   *
   * @param name The parameter of that operation for the id.
   */
  from<Input, Output, ErrorBody, Work, WorkInput>(
    submission: OperationDescriptor<Input, Output, ErrorBody>,
    waiting: Waiting<WorkInput, Work>,
    name: string,
  ): Submitting<Input, Work> {
    return async (input, { polling, ...options } = {}) => {
      const { id } = await submit(this.#client, submission, input, options)
      const path = { ...(input as CallInput | undefined)?.path, [name]: id }
      return waiting({ path } as WorkInput, polling === undefined ? {} : { polling })
    }
  }

  /** Ends all waits. */
  close(): void {
    this.#scheduler.close()
  }
}

/** Returns the values in the path, which usually are one id. */
function idOf({ id, parameters }: Pick<OperationDescriptor, 'id' | 'parameters'>, input: CallInput): string {
  const values = parameters.filter(({ in: place }) => place === 'path').map(({ name }) => input.path?.[name])
  return values.length === 0 ? id : values.map(String).join('/')
}

/** Returns the same object with some of its members only. @public */
export function pick<Whole extends object, Name extends keyof Whole>(
  whole: Whole,
  names: readonly Name[],
): Pick<Whole, Name> {
  return Object.fromEntries(names.map((name) => [name, whole[name]])) as Pick<Whole, Name>
}
