import type { Migration } from '../migration.ts'
import { sessions } from './0001-sessions.ts'
import { fleet } from './0002-fleet.ts'
import { budgets } from './0003-budgets.ts'
import { fleetPace } from './0004-fleet-pace.ts'
import { deadlines } from './0005-deadlines.ts'

/** All steps of the schema, in order. */
export const MIGRATIONS: readonly Migration[] = [sessions, fleet, budgets, fleetPace, deadlines]
