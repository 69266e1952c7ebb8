import { ControlledClock, frozenClock } from '../../src/core/clock.ts'
import { SOCKET_COMMANDS, SocketControl } from '../../src/core/control.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { jsonReply } from '../../src/core/reply.ts'
import { runService } from '../../src/core/run-service.ts'
import type { Service } from '../../src/core/service.ts'
import { readSpecification } from '../../src/core/specification.ts'

export class TestControl extends SocketControl {}

/** Starts a service with this contract, and with the given parts. The key `good` is valid. */
export function startService(
  document: JsonObject,
  own: Partial<Service<string>>,
  basePaths: Readonly<Record<string, string>> = { baseUrl: '' },
  random = () => 0.5,
) {
  const clock = new ControlledClock(frozenClock())
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
  const log = (level: string, message: string) => void lines.push(`${level} ${message}`)
  const running = runService(
    service,
    {
      basePaths,
      credentials: {},
      state: [],
      fill() {},
      createControl: (tools) => new TestControl(tools),
      commands: SOCKET_COMMANDS,
      readState: () => ({}),
    },
    { clock, random, log, closing: closer.signal, control: false },
  )
  const send = (path: string, init?: RequestInit, remoteAddress?: string) =>
    running.app.dispatch(new Request(`http://small.invalid${path}`, init), remoteAddress)
  return { ...running, clock, closer, lines, send }
}
