import { service, type FleetService } from '../../src/jobs/service.ts'

/** An in-memory service that counts what it does. */
export interface StubService {
  readonly service: FleetService<{ index: number }, { id: string; index: number }>
  /** The index of each accepted request. */
  readonly submissions: number[]
  /** The ids of canceled work. */
  readonly cancelled: string[]
  /** How often the sink stored each name. */
  readonly results: Map<string, number>
  /** Resolves when this many results are stored. */
  stored(count: number): Promise<void>
}

interface StubOptions {
  /** How many polls a job takes. Default: 1. */
  readonly polls?: number
  /** Called after a request is counted, before its response is sent. */
  readonly beforeResponse?: (index: number) => Promise<void> | void
  /** Called before a request is counted. If it throws, that error is the response. */
  readonly onSubmit?: (index: number) => void
  /** Called for each poll. */
  readonly onPoll?: (id: string) => void
  /** Called when a poll finds that work has ended. */
  readonly onEnd?: (id: string) => void
  /** Called before a result is stored. */
  readonly onStore?: (index: number) => void
  readonly repeatable?: boolean
  /** Milliseconds before each poll. Default: 1 to 5. */
  readonly delay?: number
}

/** Creates a service whose ids are `work-` plus the index of the request. */
export function stubService(options: StubOptions = {}): StubService {
  const { polls = 1, beforeResponse, onSubmit, onStore, repeatable = false } = options
  const submissions: number[] = []
  const results = new Map<string, number>()
  const cancelled: string[] = []
  const seen = new Map<string, number>()
  const waiting: { count: number; resolve: () => void }[] = []
  return {
    submissions,
    cancelled,
    results,
    stored: (count) =>
      new Promise((resolve) => {
        if (results.size >= count) return resolve()
        waiting.push({ count, resolve })
      }),
    service: service({
      firstDelay: options.delay ?? 1,
      minDelay: options.delay ?? 1,
      maxDelay: options.delay ?? 5,
      submit: async ({ index }: { index: number }) => {
        onSubmit?.(index)
        submissions.push(index)
        await beforeResponse?.(index)
        return { id: `work-${index}` }
      },
      resume: (id) => {
        const handle = {
          id,
          status: undefined as string | undefined,
          ended: false,
          wait: async () => ({ id, index: Number(id.slice(5)) }),
          cancel: async () => void cancelled.push(id),
          async poll() {
            options.onPoll?.(id)
            const count = (seen.get(id) ?? 0) + 1
            seen.set(id, count)
            handle.ended = count >= polls
            if (handle.ended) options.onEnd?.(id)
            handle.status = handle.ended ? 'done' : 'busy'
            return {}
          },
        }
        return handle
      },
      repeatable,
      sink: async ({ index }, { name }) => {
        onStore?.(index)
        results.set(name, (results.get(name) ?? 0) + 1)
        for (const each of waiting) if (results.size >= each.count) each.resolve()
      },
    }),
  }
}
