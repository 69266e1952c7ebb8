import { plain } from './plain.ts'

/** The plan can't be made: what happened, and what to do about it. */
export class PlanError extends Error {
  constructor(message: string, remedy: string, options?: ErrorOptions) {
    super(plain(`${message} ${remedy}`), options)
    this.name = 'PlanError'
  }
}
