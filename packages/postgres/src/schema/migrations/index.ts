import type { Migration } from '../migration.ts'
import { sessions } from './0001-sessions.ts'

/** All steps of the schema, in order. */
export const MIGRATIONS: readonly Migration[] = [sessions]
