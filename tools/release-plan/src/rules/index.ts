import { calls } from './calls.ts'
import type { Rule } from './rule.ts'
import { schemas } from './schemas.ts'
import { sockets } from './sockets.ts'
import { words } from './words.ts'

export type { Rule } from './rule.ts'

/**
 * All kinds of changes. Each has a sentence, a reason, and a pair of verdicts: `'minor major'` means `minor` on the
 * wire and `major` in TypeScript. If there are two pairs, the first applies to what clients send, and the second to
 * what they receive.
 *
 * On the wire: does a program that was built on the old contract work with a service that follows the new one?
 * In TypeScript: does code that was written for the old client compile with the new one, and behave the same?
 */
export const rules = { ...schemas, ...calls, ...sockets, ...words } as const satisfies Record<string, Rule>

export type Kind = keyof typeof rules
