import type { Json } from '../core/json.ts'
import { channelOf, jsonOfFrame, sendMessage } from './channels/messages.ts'
import type { SpeechChoices } from './choices.ts'
import type { SocketResponse, SocketProblem } from './model.ts'
import { codeOf, MESSAGES, type SpeechFacts } from './denials.ts'
import type { SpeechConnection } from './state.ts'

const PROBLEM_MESSAGES: Readonly<Record<SocketProblem, (facts: SpeechFacts) => string>> = {
  'audio-mismatch': MESSAGES['audio-mismatch'],
  'character-rate': MESSAGES['character-rate'],
  'empty-text': MESSAGES['empty-text'],
  'settings-rejected': ({ reasons = [] }) => `The settings are invalid: ${reasons.join('; ')}.`,
  'configure-rejected': ({ reasons = [] }) => reasons.join('; '),
  'message-unused': () => 'The message is not used on this channel.',
  'message-rejected': ({ reasons = [] }) => `The message is invalid: ${reasons.join('; ')}.`,
}

/** A message on an open connection, and the problem with it. */
export interface ProblemMessage {
  readonly problem: SocketProblem
  readonly frame: string | Uint8Array | Json
  readonly facts?: SpeechFacts
}

/** Responds to a message without a documented response, as the choice `respondToMessage` says. */
export function respondToProblem(
  choices: SpeechChoices,
  connection: SpeechConnection,
  { problem, frame, facts = {} }: ProblemMessage,
): void {
  const code = codeOf(problem)
  const text = PROBLEM_MESSAGES[problem](facts)
  const channel = channelOf(connection)
  const message = typeof frame === 'string' ? jsonOfFrame(frame) : frame
  const reply =
    choices.respondToMessage({ channel, problem, message, code, text }) ??
    defaultResponse(choices, problem, code, text)
  for (const json of reply.send ?? []) sendMessage(connection, json)
  if (reply.close) connection.close(reply.close.code, reply.close.reason)
}

/** The close code for audio that doesn't match its encoding, which is undocumented. */
const MISMATCH_CLOSE_CODE = 4000

function defaultResponse(
  choices: SpeechChoices,
  problem: SocketProblem,
  code: string,
  text: string,
): SocketResponse {
  if (problem === 'message-unused') return {}
  if (problem === 'configure-rejected') {
    const failure = choices.showEvent({ kind: 'configuration-rejected', reason: text })
    return failure === undefined ? {} : { send: [failure] }
  }
  const send = [{ type: 'Problem', code, message: text }]
  return problem === 'audio-mismatch'
    ? { send, close: { code: MISMATCH_CLOSE_CODE, reason: `${code}: ${text}` } }
    : { send }
}
