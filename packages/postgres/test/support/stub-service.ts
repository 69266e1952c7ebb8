import { service, type FleetService } from '../../src/work/service.ts'

/** A service in memory, which counts what it does. */
export interface StubService {
  readonly service: FleetService<{ index: number }, { id: string; index: number }>
  /** The index of each accepted request. */
  readonly submissions: number[]
  /** What the sink stored, by name, with how often. */
  readonly results: Map<string, number>
  /** Resolves when so many results are stored. */
  stored(count: number): Promise<void>
}

/** @param polls - How many polls a job takes. */
export function stubService({ polls = 1 }: { readonly polls?: number } = {}): StubService {
  const submissions: number[] = []
  const results = new Map<string, number>()
  const seen = new Map<string, number>()
  const waiting: { count: number; resolve: () => void }[] = []
  return {
    submissions,
    results,
    stored: (count) =>
      new Promise((resolve) => {
        if (results.size >= count) return resolve()
        waiting.push({ count, resolve })
      }),
    service: service({
      firstDelay: 1,
      minDelay: 1,
      maxDelay: 5,
      submit: async ({ index }: { index: number }) => {
        submissions.push(index)
        return { id: `work-${index}` }
      },
      resume: (id) => {
        const handle = {
          id,
          status: undefined as string | undefined,
          ended: false,
          wait: async () => ({ id, index: Number(id.slice(5)) }),
          async *changes() {
            const count = (seen.get(id) ?? 0) + 1
            seen.set(id, count)
            handle.ended = count >= polls
            handle.status = handle.ended ? 'done' : 'busy'
            yield handle.status
          },
        }
        return handle
      },
      sink: async (_result: unknown, { name }: { name: string }) => {
        results.set(name, (results.get(name) ?? 0) + 1)
        for (const each of waiting) if (results.size >= each.count) each.resolve()
      },
    }),
  }
}
