import type { Schema, Statement } from '../database/sql.ts'

/** One step of the schema. A released step is never changed: a later one corrects it. */
export interface Migration {
  /** Follows that of the step before it. */
  readonly version: number
  readonly title: string
  /** The statements of the step, for a schema. All steps that are missing run in one transaction. */
  readonly statements: (schema: Schema) => readonly Statement[]
}
