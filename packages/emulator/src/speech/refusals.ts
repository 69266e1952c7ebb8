import type { Json } from '../core/json.ts'
import type { Reply } from '../core/reply.ts'
import type { SpeechChoices } from './choices.ts'
import { jsonOfFrame, tell } from './channels/event.ts'
import type { SpeechConnection } from './context.ts'
import type { SpeechChannel } from './model.ts'
import type { SocketAnswer, SocketProblem, SpeechFacts, SpeechRefusal } from './problems.ts'

/** The codes that the service's documentation gives. */
const DOCUMENTED: Readonly<Partial<Record<SpeechRefusal | SocketProblem, string>>> = {
  'audio-mismatch': 'DATA-0000',
  'character-rate': 'DATA-0001',
  'empty-text': '400',
  'too-many-connections': '429',
}

const codeOf = (kind: SpeechRefusal | SocketProblem): string => DOCUMENTED[kind] ?? kind

/** Refuses a REST call or an upgrade. */
export function refuse(choices: SpeechChoices, refusal: SpeechRefusal, facts: SpeechFacts = {}): Reply {
  const message = choices.wording[refusal](facts)
  const json = choices.errorBody({ refusal, code: codeOf(refusal), message })
  if (refusal !== 'too-many-connections') return { status: choices.statuses[refusal], json }
  const reply: Reply = { status: 429, json, rateMeaning: 'connections' }
  const seconds = choices.retryAfterSeconds()
  return seconds === undefined ? reply : { ...reply, headers: { 'retry-after': String(seconds) } }
}

/** A message on an open connection that something is wrong with. */
export interface WrongMessage {
  problem: SocketProblem
  frame: string | Uint8Array | Json
  facts?: SpeechFacts
}

/** Answers a message that has no documented answer, as the choices say. */
export function complain(
  choices: SpeechChoices,
  connection: SpeechConnection,
  { problem, frame, facts = {} }: WrongMessage,
): void {
  const code = codeOf(problem)
  const text = choices.wording[problem](facts)
  const channel = connection.channel.id as SpeechChannel
  const message = typeof frame === 'string' ? jsonOfFrame(frame) : frame
  const answer =
    choices.answerMessage({ channel, problem, message, code, text }) ??
    ownAnswer(choices, problem, code, text)
  for (const json of answer.send ?? []) tell(connection, json)
  if (answer.close) connection.close(answer.close.code, answer.close.reason)
}

/** The code with which a connection is closed whose audio does not match its encoding. The emulator's own. */
const MISMATCH_CLOSE_CODE = 4000

function ownAnswer(choices: SpeechChoices, problem: SocketProblem, code: string, text: string): SocketAnswer {
  if (problem === 'message-unused') return {}
  if (problem === 'configure-refused') {
    const failure = choices.showEvent({ kind: 'configuration-refused', reason: text })
    return failure === undefined ? {} : { send: [failure] }
  }
  const send = [{ type: 'Problem', code, message: text }]
  return problem === 'audio-mismatch'
    ? { send, close: { code: MISMATCH_CLOSE_CODE, reason: `${code}: ${text}` } }
    : { send }
}
