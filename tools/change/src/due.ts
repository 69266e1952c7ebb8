import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { type Service, contractFiles, fingerprint, isStale, uncommittedContracts } from './tree.ts'

/** The end of the last run for a service, and the files that it was about. */
interface LastRun {
  readonly fingerprint: string
  readonly isGreen: boolean
}

/** A service to check, with the reason in words. */
export interface Due {
  readonly service: Service
  readonly why: string
}

const stateFile = (root: string) => join(root, 'node_modules/.concord-change.json')

/**
 * The services to check: those that are asked for, and otherwise those whose contract was edited, whose last run wasn't
 * green, or whose files have changed since it was. Reads files only.
 */
export function dueServices(
  root: string,
  services: readonly Service[],
  asked: readonly string[],
): readonly Due[] {
  if (asked.length > 0)
    return services
      .filter(({ name }) => asked.includes(name))
      .map((service) => ({ service, why: 'was asked for' }))
  const runs = lastRuns(root)
  const uncommitted = uncommittedContracts(root)
  return services.flatMap((service): Due[] => {
    const last = runs[service.name]
    if (isStale(root, service)) return [{ service, why: 'its contract was edited' }]
    if (last?.isGreen === false) return [{ service, why: 'the last run was not green' }]
    if (last && last.fingerprint !== fingerprint(root, service))
      return [{ service, why: 'its files have changed since the last run' }]
    if (!last && contractFiles(service).some((file) => uncommitted.has(file)))
      return [{ service, why: 'its contract differs from the last commit' }]
    return []
  })
}

/** Remembers the end of a run in `node_modules`, so that the next one knows what is done. */
export function remember(root: string, services: readonly Service[], isGreen: boolean): void {
  const runs = { ...lastRuns(root) }
  for (const service of services) runs[service.name] = { fingerprint: fingerprint(root, service), isGreen }
  const file = stateFile(root)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.tmp`, `${JSON.stringify(runs, undefined, 2)}\n`)
  renameSync(`${file}.tmp`, file)
}

function lastRuns(root: string): Readonly<Record<string, LastRun>> {
  try {
    return JSON.parse(readFileSync(stateFile(root), 'utf8')) as Record<string, LastRun>
  } catch {
    return {}
  }
}
