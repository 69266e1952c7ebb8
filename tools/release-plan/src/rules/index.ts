import { calls } from './calls.ts'
import type { Rule } from './rule.ts'
import { schemas } from './schemas.ts'
import { sockets } from './sockets.ts'
import { words } from './words.ts'

export type { Rule } from './rule.ts'

/**
 * All kinds of changes, each with its sentence, the reason, and the verdicts `wire typescript` for what clients send
 * and, if they differ, for what they receive.
 *
 * On the wire: does a program that was built on the old contract work with a service that follows the new one? In TypeScript:
 * does code that uses the old client compile, and do the same, with the new one?
 */
export const rules = { ...schemas, ...calls, ...sockets, ...words } as const satisfies Record<string, Rule>

/** The name of a rule. */
export type Kind = keyof typeof rules
