import type { GroupName } from './groups.ts'
import type { Project } from './project.ts'

/** A project of a team that uses the packages: what it is, what it installs, and what it does with them. */
export interface Consumer {
  /** As on the command line. */
  readonly name: string
  /** The platform, with versions, and what is tried on it. */
  readonly what: string
  /** The packages that it installs; consumers of a group share one installation. */
  readonly group: GroupName
  /** The folder of `projects/` that it consists of. */
  readonly folder: string
  /** Whether it is fast, and so part of `npm test`. */
  readonly isQuick?: boolean
  /** @throws Unavailable if this machine lacks what it needs. */
  run(project: Project): void | Promise<void>
}

/** How the trial of a consumer ended. */
export interface Outcome {
  readonly name: string
  readonly what: string
  readonly group: GroupName
  readonly result: 'passed' | 'failed' | 'unavailable'
  readonly seconds: number
  /** Why it failed or is unavailable, with the end of its output. */
  readonly reason?: string
}
