import type { Reply } from './child.ts'

/** Answers what the parent process asks, until it lets go. */
export function answerQuestions(answers: Readonly<Record<string, (payload: never) => unknown>>): void {
  process.on('message', (question: { what: string; payload: unknown }) => {
    void answer(question).then((reply) => process.send?.(reply))
  })
  process.on('disconnect', () => process.exit(0))

  async function answer({ what, payload }: { what: string; payload: unknown }): Promise<Reply> {
    try {
      const known = answers[what]
      if (known === undefined) throw new Error(`there is no answer to ${what}`)
      // JSON, which is what the processes talk in, would drop an answer of undefined.
      return { answer: (await known(payload as never)) ?? null }
    } catch (error) {
      return { problem: String((error as Error).stack ?? error) }
    }
  }
}
