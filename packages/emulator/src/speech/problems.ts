import type { Json, JsonLike } from '../core/json.ts'
import { channelOf, jsonOfFrame, sendMessage } from './channels/messages.ts'
import type { SpeechChoices } from './choices.ts'
import type { CloseFrame, SpeechChannel } from './model.ts'
import { codeOf, MESSAGES, type SpeechFacts } from './refusals.ts'
import type { SpeechConnection } from './state.ts'

/** What goes wrong on an open connection. @public */
export type SocketProblem =
  /** DATA-0000. */
  | 'audio-mismatch'
  /** DATA-0001. */
  | 'character-rate'
  /** 400: a Speak message without text. */
  | 'empty-text'
  /** Settings that `checkConfiguration` refuses. */
  | 'settings-refused'
  /** A Configure that the contract rejects or `checkConfiguration` refuses. */
  | 'configure-refused'
  /** A message that the contract accepts, but that this channel does not take: neither audio nor one of its commands. */
  | 'message-unused'
  /** Any other message that the contract rejects. */
  | 'message-refused'

/** A message that has no documented answer. @public */
export interface UnansweredMessage {
  channel: SpeechChannel
  problem: SocketProblem
  /** The message: JSON, or text that is no JSON, or bytes. */
  message: Json | Uint8Array
  /** The code of the problem, such as `DATA-0000` where one is documented. */
  code: string
  /** The emulator's own words for it. */
  text: string
}

/** What is done about a message. @public */
export interface SocketAnswer {
  /** Messages to the client, in order. */
  send?: readonly JsonLike[]
  /** Closes the connection after them. */
  close?: CloseFrame
}

const PROBLEM_MESSAGES: Readonly<Record<SocketProblem, (facts: SpeechFacts) => string>> = {
  'audio-mismatch': MESSAGES['audio-mismatch'],
  'character-rate': MESSAGES['character-rate'],
  'empty-text': MESSAGES['empty-text'],
  'settings-refused': ({ reasons = [] }) => `The settings are invalid: ${reasons.join('; ')}.`,
  'configure-refused': ({ reasons = [] }) => reasons.join('; '),
  'message-unused': () => 'The message is not used on this channel.',
  'message-refused': ({ reasons = [] }) => `The message is invalid: ${reasons.join('; ')}.`,
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
  const text = PROBLEM_MESSAGES[problem](facts)
  const channel = channelOf(connection)
  const message = typeof frame === 'string' ? jsonOfFrame(frame) : frame
  const answer =
    choices.answerMessage({ channel, problem, message, code, text }) ??
    ownAnswer(choices, problem, code, text)
  for (const json of answer.send ?? []) sendMessage(connection, json)
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
