import type { CallOptions, Client, PollingOptions } from '@concord/runtime'
import {
  CALL_OPTIONS,
  checkOptionNames,
  checkPollingNames,
  load,
  loadPolling,
  type OperationExtra,
  type OptionNames,
  remedyOf,
  requiredString,
  submit,
} from '@concord/runtime/internal'

import type { BatchParts } from './batch/run.ts'
import type { BatchRequest } from './batch/journal.ts'
import { invalidRequest } from './errors.ts'
import type { InputSettings } from './inputs.ts'
import type { PreparedRequest } from './preparation.ts'
import { checkPolicy, type RegeneratePolicy } from './regenerate.ts'
import type { BodyContext } from './request-body.ts'
import type { GenerationName, GenerationRequest } from './requests.ts'
import { MediaTask, type TaskHandle } from './task.ts'
import type { Wire } from './version.ts'
import { ONE_ATTEMPT, type Waits } from './waits.ts'

/** Options of a handle for a task. @public */
export interface HandleOptions {
  /** Polling delays and limits for this task. They override the client's `polling.task`. */
  readonly polling?: PollingOptions
}

/** Options of one generation. @public */
export interface GenerateOptions extends CallOptions, HandleOptions {
  /**
   * Lets `wait` and `download` submit the task again after a failure, if that can help. Each submission costs
   * credits. Default: a failed task is never submitted again.
   */
  readonly regenerate?: RegeneratePolicy
}

const HANDLE_OPTIONS: OptionNames<HandleOptions> = { polling: true }
const GENERATE_OPTIONS: OptionNames<GenerateOptions> = { ...CALL_OPTIONS, polling: true, regenerate: true }

function checkHandle(options: HandleOptions): void {
  checkOptionNames(options, HANDLE_OPTIONS, 'options')
  checkPollingNames(options.polling, 'polling')
}

/** Prepares generations, submits them, and creates handles for their tasks. */
export class Submissions {
  readonly #client: Client
  readonly #wire: Wire
  readonly #waits: Waits
  readonly #inputs: InputSettings

  constructor(client: Client, wire: Wire, waits: Waits, inputs: InputSettings) {
    this.#client = client
    this.#wire = wire
    this.#waits = waits
    this.#inputs = inputs
  }

  async generate(
    name: GenerationName,
    request: GenerationRequest,
    options: GenerateOptions = {},
  ): Promise<TaskHandle> {
    checkOptionNames(options, GENERATE_OPTIONS, 'options')
    checkPolicy(options.regenerate)
    checkPollingNames(options.polling, 'polling')
    return this.#submit(await this.prepare(name, request, { signal: options.signal }), options)
  }

  /** Checks a request and reads its inputs. @throws RequestInvalidError */
  async prepare(
    name: GenerationName,
    request: GenerationRequest,
    how: Pick<BodyContext, 'signal' | 'dry'>,
  ): Promise<PreparedRequest> {
    const loading = { operation: String(name), signal: how.signal }
    const [{ prepareRequest }] = await Promise.all([
      load(import('./preparation.ts'), loading),
      // The code that polls is loaded before anything is sent. If loading fails, no task is paid for.
      loadPolling(loading),
    ])
    return prepareRequest(name, request, this.#inputs, how)
  }

  task(id: string, options: HandleOptions): TaskHandle {
    requiredString(id, 'id', 'Pass the id of the task.')
    checkHandle(options)
    return this.#attach(id, options, {})
  }

  resume(token: string, options: HandleOptions): TaskHandle {
    checkHandle(options)
    const { id, extra } = this.#waits.tasks.resume(token)
    return this.#attach(id, options, { ...extra })
  }

  /** @param extra - A new object for each handle, because `Waits` uses this object to tell handles apart. */
  #attach(id: string, { polling }: HandleOptions, extra: OperationExtra): TaskHandle {
    return new MediaTask(this.#waits.tasks.attach(id, { polling, extra }), this.#waits)
  }

  batchParts(): BatchParts {
    const waits = this.#waits
    const { tasks } = waits
    return {
      client: this.#client,
      prepare: async (item: BatchRequest | null | undefined, how) => {
        if (typeof item !== 'object' || item === null)
          throw invalidRequest('batch', '', 'is not an object; pass { operation, request }')
        return this.prepare(item.operation, item.request, how)
      },
      send: async ({ operation, body }, signal) =>
        (await submit(this.#wire, operation, { body }, { ...ONE_ATTEMPT, signal })).id,
      attach(id, isNew) {
        const start = { extra: {} }
        return new MediaTask(isNew ? tasks.handle(id, start) : tasks.attach(id, start), waits)
      },
    }
  }

  async #submit(request: PreparedRequest, options: GenerateOptions): Promise<TaskHandle> {
    const { polling, regenerate, ...call } = options
    const { operation } = request
    const send = async (body: Readonly<Record<string, unknown>>, own: CallOptions) => {
      const { id, possibleDuplicates } = await submit(this.#wire, operation, { body }, own)
      const task = this.#waits.tasks.handle(id, { polling, extra: {} })
      return { task, possibleDuplicates }
    }
    const { task, possibleDuplicates } = await send(request.body, call)
    const resubmission = {
      operation: operation.id,
      path: operation.path,
      remedy: remedyOf(operation),
      body: request.body,
      estimate: request.estimate,
      policy: regenerate,
      // The signal in `call` applies only to the first submission. `signal` aborts when no wait is left.
      submit: (again: Readonly<Record<string, unknown>>, signal: AbortSignal) =>
        send(again, { ...call, signal }),
    }
    return new MediaTask(task, this.#waits, resubmission, possibleDuplicates)
  }
}
