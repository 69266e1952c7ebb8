import type { Reply } from '../core/reply.ts'
import type { SpeechChoices } from './choices.ts'
import type { SpeechConnection } from './context.ts'
import type { SocketProblem, SpeechFacts, SpeechRefusal } from './problems.ts'

/** The codes that the service's documentation gives. */
const DOCUMENTED: Readonly<Partial<Record<SpeechRefusal | SocketProblem, string>>> = {
  'audio-mismatch': 'DATA-0000',
  'character-rate': 'DATA-0001',
  'empty-text': '400',
  'too-many-connections': '429',
}

const codeOf = (kind: SpeechRefusal | SocketProblem): string => DOCUMENTED[kind] ?? kind

/** Refuses a REST call or an upgrade. */
export function refuse(choices: SpeechChoices, kind: SpeechRefusal, facts: SpeechFacts = {}): Reply {
  const json = choices.showError(kind, codeOf(kind), choices.wording[kind](facts))
  if (kind !== 'too-many-connections') return { status: choices.statuses[kind], json }
  const reply: Reply = { status: 429, json, rateMeaning: 'connections' }
  const seconds = choices.retryAfterSeconds
  return seconds === undefined ? reply : { ...reply, headers: { 'retry-after': String(seconds) } }
}

/** Tells of a problem on an open connection, and closes it where the choices say so. */
export function complain(
  choices: SpeechChoices,
  connection: SpeechConnection,
  problem: SocketProblem,
  facts: SpeechFacts = {},
): void {
  const code = codeOf(problem)
  const words = choices.wording[problem](facts)
  const event = choices.showProblem(problem, code, words)
  if (event !== undefined) connection.send('serverEvent', event)
  const closeCode = choices.problemClosesWith[problem]
  if (closeCode !== null) connection.close(closeCode, `${code}: ${words}`)
}
