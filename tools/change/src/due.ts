import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { type Service, contractFiles, fingerprint, isStale, uncommittedContracts } from './tree.ts'

/** The last run for a service: whether it passed, and a digest of the service's files at that time. */
interface LastRun {
  readonly fingerprint: string
  readonly isGreen: boolean
}

/** A service to check, and why. */
export interface Due {
  readonly service: Service
  readonly why: string
}

const stateFile = (root: string) => join(root, 'node_modules/.concord-change.json')

/**
 * Returns the services in `asked`. If `asked` is empty, returns the services with changes or with a failed last run.
 */
export function dueServices(
  root: string,
  services: readonly Service[],
  asked: readonly string[],
): readonly Due[] {
  if (asked.length > 0)
    return services
      .filter(({ name }) => asked.includes(name))
      .map((service) => ({ service, why: 'was requested' }))
  const runs = lastRuns(root)
  const uncommitted = uncommittedContracts(root)
  return services.flatMap((service): Due[] => {
    const last = runs[service.name]
    if (isStale(root, service)) return [{ service, why: 'its contract was edited' }]
    if (last?.isGreen === false) return [{ service, why: 'the last run failed' }]
    if (last && last.fingerprint !== fingerprint(root, service))
      return [{ service, why: 'its files have changed since the last run' }]
    if (!last && contractFiles(service).some((file) => uncommitted.has(file)))
      return [{ service, why: 'its contract differs from the last commit' }]
    return []
  })
}

/** Saves the result of a run in `node_modules` for the next run. */
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
