import type { GroupName } from './groups.ts'
import type { Project } from './project.ts'

/** A project that uses the packages in the same way as a user's project. */
export interface Consumer {
  /** The name for the command line. */
  readonly name: string
  /** The platform with its versions, and what is tested on it. */
  readonly what: string
  /** Determines the packages to install. All consumers of a group share one installation. */
  readonly group: GroupName
  /** The name of the project's folder in `projects/`. Several consumers can share a folder. */
  readonly folder: string
  /** Whether the consumer is fast enough for `npm test`. */
  readonly isQuick?: boolean
  /** @throws Unavailable if this machine lacks something that the consumer needs. */
  run(project: Project): void | Promise<unknown>
}

/** The result of running a consumer. */
export interface Outcome {
  readonly name: string
  readonly what: string
  readonly group: GroupName
  readonly result: 'passed' | 'failed' | 'unavailable'
  readonly seconds: number
  /** Why the consumer failed or can't run here. If a command failed, the reason includes the end of its output. */
  readonly reason?: string
}
