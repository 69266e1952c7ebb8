import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** A process that is asked things, one after the other. */
export interface Child extends AsyncDisposable {
  ask<Answer>(what: string, payload?: unknown): Promise<Answer>
}

/** How to start a {@link Child}. */
export interface ChildOptions {
  readonly words?: readonly string[]
  /** The processor core to hold it to (Linux). Default: any. */
  readonly core?: number | undefined
  readonly nodeOptions?: readonly string[]
}

/** What the process sends back. */
export type Reply = { readonly answer: unknown } | { readonly problem: string }

/**
 * Starts a module that calls `answerQuestions`. It runs on the built packages, as an application would, whatever
 * conditions this process has; and it ends when this one does.
 */
export function startChild(file: string, { words = [], core, nodeOptions = [] }: ChildOptions = {}): Child {
  const command = [process.execPath, ...nodeOptions, file, ...words]
  const pinned = core === undefined ? command : ['taskset', '-c', String(core), ...command]
  const [program = '', ...rest] = pinned
  const child = spawn(program, rest, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  return {
    ask: <Answer>(what: string, payload?: unknown) => ask(child, what, payload) as Promise<Answer>,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      if (child.connected) child.disconnect()
      await exited
    },
  }
}

function ask(child: ChildProcess, what: string, payload: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      child.off('message', onMessage)
      child.off('exit', onExit)
      child.off('error', onError)
      finish()
    }
    const onMessage = (reply: unknown) =>
      settle(() => {
        const told = reply as Reply
        if ('problem' in told) reject(new Error(told.problem))
        else resolve(told.answer)
      })
    const onError = (error: Error) => settle(() => reject(error))
    const onExit = (code: number | null) =>
      settle(() =>
        reject(new Error(`a measured process ended (${code ?? 'by a signal'}) before it answered`)),
      )
    child.on('message', onMessage)
    child.on('exit', onExit)
    child.on('error', onError)
    child.send({ what, payload }, (error) => {
      if (error) onError(error)
    })
  })
}
