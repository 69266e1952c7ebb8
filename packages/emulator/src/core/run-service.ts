import { createApp } from './app.ts'
import { withControl } from './control-http.ts'
import { commandsOf, type CommandShapes, type ControlTools, type ServiceControl } from './control.ts'
import { createFaults, type Faults } from './faults.ts'
import { createRecords, type Records } from './records.ts'
import type { RunningService, SharedTools } from './service-module.ts'
import type { Service } from './service.ts'

/** The parts of a running service that its `Service` object doesn't contain. */
interface ServiceParts<Control extends ServiceControl> extends Pick<
  RunningService,
  'basePaths' | 'credentials' | 'pages' | 'readState'
> {
  /** The parts of the service's state. `reset` clears each of them. */
  readonly state: readonly { clear(): void }[]
  /** Adds the initial credentials and data, at startup and after each `reset`. */
  fill(): void
  createControl(tools: ControlTools): Control
  /** How to call the control methods over HTTP. */
  readonly commands: CommandShapes<Control>
}

export function runService<Caller, Control extends ServiceControl>(
  service: Service<Caller>,
  parts: ServiceParts<Control>,
  tools: SharedTools,
): RunningService & { control: Control; faults: Faults; records: Records } {
  const { clock, random } = tools
  const { state, fill, createControl, commands, ...rest } = parts
  const { operations, webhooks } = service.specification
  const records = createRecords()
  const faultNames = new Set([
    ...[...operations, ...webhooks].map(({ operationId }) => operationId),
    ...(service.sockets?.specification.channels ?? []).map(({ id }) => id),
    ...service.pages.map(({ name }) => name),
  ])
  const faults = createFaults(random, [...faultNames])
  const app = createApp(service, { ...tools, faults, records, basePaths: parts.basePaths })
  const openConnections = () => app.sockets?.open() ?? []
  const reset = () => {
    for (const connection of openConnections()) connection.terminate()
    for (const part of [records, faults, ...state]) part.clear()
    fill()
  }
  fill()
  const control = createControl({ clock, faults, records, openConnections, reset })
  return {
    ...rest,
    app: tools.control ? withControl(app, commandsOf(control, commands, parts.readState)) : app,
    control,
    faults,
    records,
  }
}
