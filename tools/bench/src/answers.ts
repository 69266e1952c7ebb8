import { isDeepStrictEqual } from 'node:util'

/** A subject that gives something else than the others: its figures would say nothing. */
export class WrongAnswerError extends Error {
  override readonly name = 'WrongAnswerError'
}

/** @throws WrongAnswerError when the answer is not what the server sent. */
export function checkAnswer(subject: string, answer: unknown, expected: unknown): void {
  if (isDeepStrictEqual(answer, expected)) return
  const text = JSON.stringify(answer) ?? String(answer)
  throw new WrongAnswerError(
    `${subject} gave something else than the server sent, so nothing is measured: ${text.slice(0, 300)}`,
  )
}
