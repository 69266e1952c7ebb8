import { createApp, type AppTools } from '../../src/core/app.ts'
import { ControlledClock, frozenClock } from '../../src/core/clock.ts'
import { createFaults } from '../../src/core/faults.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { createRecords } from '../../src/core/records.ts'
import { jsonReply } from '../../src/core/reply.ts'
import type { Service } from '../../src/core/service.ts'
import { readSpecification } from '../../src/core/specification.ts'

/** Starts a service with this contract, and with the given parts. The key `good` is valid. */
export function startService(
  document: JsonObject,
  { faultNames = [], ...own }: Partial<Service<string>> & { faultNames?: readonly string[] },
  tools: Partial<AppTools> = {},
) {
  const clock = new ControlledClock(frozenClock())
  const records = createRecords()
  const faults = createFaults(() => 0.5, faultNames)
  const closer = new AbortController()
  const lines: string[] = []
  const service: Service<string> = {
    name: 'small',
    specification: readSpecification(document),
    handlers: {},
    pages: [],
    authenticate: (value) => (value === 'good' ? 'somebody' : undefined),
    bodyLimitBytes: () => 1_000,
    deny: (denial) =>
      jsonReply(denial.kind.startsWith('key') ? 401 : 400, { detail: JSON.stringify(denial) }),
    ...own,
  }
  const app = createApp(service, {
    clock,
    random: () => 0.5,
    faults,
    records,
    log: (level, message) => lines.push(`${level} ${message}`),
    basePaths: { baseUrl: '' },
    closing: closer.signal,
    ...tools,
  })
  const send = (path: string, init?: RequestInit, remoteAddress?: string) =>
    app.dispatch(new Request(`http://small.invalid${path}`, init), remoteAddress)
  return { app, clock, records, faults, closer, lines, send }
}
