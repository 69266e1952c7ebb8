import { plain } from './plain.ts'

/** Thrown if no plan is possible. The message says why, and what to do. */
export class PlanError extends Error {
  constructor(message: string, remedy: string, options?: ErrorOptions) {
    super(plain(`${message} ${remedy}`), options)
    this.name = 'PlanError'
  }
}
