import type { Schema, Statement } from '../database/sql.ts'

/** One step of the schema. A released step is never changed: a later one corrects it. */
export interface Migration {
  /** One more than the previous step's version. */
  readonly version: number
  readonly title: string
  /** Returns the step's statements for a schema. All missing steps run in one transaction. */
  readonly statements: (schema: Schema) => readonly Statement[]
}
