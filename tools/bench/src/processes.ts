import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

import type { RowContext } from './row.ts'

/** With `--pin`, servers and subjects run on these processor cores. */
const CORES = { server: 1, subject: 0 } as const

/** A process that answers questions. Wait for each answer before you ask the next question. */
export interface Child extends AsyncDisposable {
  ask<Answer>(what: string, payload?: unknown): Promise<Answer>
}

interface ChildOptions {
  readonly role: keyof typeof CORES
  readonly context: Pick<RowContext, 'pin'>
  readonly args?: readonly string[]
  readonly nodeOptions?: readonly string[]
}

type Reply = { readonly answer: unknown } | { readonly problem: string }

/**
 * Runs a module in a new process. The module must call {@link answerQuestions}. The new process uses the built
 * packages, as an application would, even if this process uses their source. It ends when this process ends.
 */
export function startChild(file: string, options: ChildOptions): Child {
  const { args = [], nodeOptions = [] } = options
  const [program = '', ...rest] = pinned([process.execPath, ...nodeOptions, file, ...args], options)
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

export function pinned(
  command: readonly string[],
  { role, context }: Pick<ChildOptions, 'role' | 'context'>,
): readonly string[] {
  return context.pin ? ['taskset', '-c', String(CORES[role]), ...command] : command
}

function ask(child: ChildProcess, what: string, payload: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      child.off('message', onMessage)
      child.off('exit', onExit)
      child.off('error', onError)
      finish()
    }
    const onMessage = (message: unknown) =>
      settle(() => {
        const reply = message as Reply
        if ('problem' in reply) reject(new Error(reply.problem))
        else resolve(reply.answer)
      })
    const onError = (error: Error) => settle(() => reject(error))
    const onExit = (code: number | null) =>
      settle(() =>
        reject(
          new Error(
            `a process of the bench ended (exit code: ${code ?? 'none, because of a signal'}) before it answered`,
          ),
        ),
      )
    child.on('message', onMessage)
    child.on('exit', onExit)
    child.on('error', onError)
    child.send({ what, payload }, (error) => {
      if (error) onError(error)
    })
  })
}

type Answers = Readonly<Record<string, (payload: never) => unknown>>

/** Answers the parent process's questions. When the parent disconnects, this process exits. */
export function answerQuestions(answers: Answers): void {
  process.on('message', (question: { what: string; payload: unknown }) => {
    void answer(question).then((reply) => process.send?.(reply))
  })
  process.on('disconnect', () => process.exit(0))

  async function answer({ what, payload }: { what: string; payload: unknown }): Promise<Reply> {
    try {
      const known = answers[what]
      if (known === undefined) throw new Error(`unknown question \`${what}\``)
      // The reply is sent as JSON, which omits fields whose value is undefined.
      return { answer: (await known(payload as never)) ?? null }
    } catch (error) {
      return { problem: String((error as Error).stack ?? error) }
    }
  }
}

/**
 * Starts a separate process for a subject, so that subjects share neither memory nor compiled code.
 *
 * @param module - The path of the row's module, which must call {@link serveSubject}.
 * @param subject - The subject's name, and the path of a module that exports a record called `subjects`. The name is
 *   a key of this record.
 */
export function startSubject(
  module: string,
  [name, file]: readonly [name: string, file: string],
  target: unknown,
  options: Pick<ChildOptions, 'context' | 'nodeOptions'>,
): Child {
  return startChild(module, { ...options, role: 'subject', args: [name, file, JSON.stringify(target)] })
}

/**
 * Connects this process's subject to the server, and answers the parent's questions with the functions that
 * `answersOf` returns.
 *
 * A row's module must not await the returned promise at its top level. The promise waits until the module that
 * exports the subject has loaded. Usually, the row's module exports the subject, so it would wait for itself.
 */
export async function serveSubject<Connected>(answersOf: (subject: Connected) => Answers): Promise<void> {
  const [name = '', file = '', target = ''] = process.argv.slice(2)
  const { subjects } = (await import(pathToFileURL(file).href)) as {
    readonly subjects: Readonly<Record<string, (target: unknown) => Connected | Promise<Connected>>>
  }
  const connect = subjects[name]
  if (connect === undefined) throw new Error(`${file} has no subject named ${name}`)
  answerQuestions(answersOf(await connect(JSON.parse(target))))
}

export interface Cost {
  readonly elapsedMs: number
  /** Processor time of all threads, including the garbage collector's. */
  readonly cpuMs: number
}

export async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  await work()
  const elapsedMs = performance.now() - startedAt
  const { user, system } = process.cpuUsage(cpuBefore)
  return { elapsedMs, cpuMs: (user + system) / 1000 }
}

export interface CostWithMemory extends Cost {
  /** The peak memory of the process during the work, minus its memory before the work. */
  readonly extraPeakBytes: number
}

export async function costWithMemoryOf(work: () => Promise<unknown>): Promise<CostWithMemory> {
  const peak = watchPeakMemory()
  const cost = await costOf(work)
  return { ...cost, extraPeakBytes: peak() }
}

/**
 * Watches how far the memory of this process rises. Call the returned function to get the rise in bytes. Run Node
 * with `--expose-gc`, so that earlier garbage doesn't count.
 */
export function watchPeakMemory(): () => number {
  globalThis.gc?.()
  resetPeak()
  const beforeBytes = process.memoryUsage.rss()
  return () => Math.max(0, peakBytes() - beforeBytes)
}

/** Resets the peak memory, so that loading and warming up don't count. Only Linux supports this. */
function resetPeak(): void {
  if (process.platform === 'linux') writeFileSync('/proc/self/clear_refs', '5')
}

function peakBytes(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024
  // On Linux, `maxRSS` starts at the parent process's peak, so it can't be used.
  const peakKib = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
  if (peakKib === undefined) throw new Error('/proc/self/status has no VmHWM')
  return Number(peakKib) * 1024
}

export function usedHeapBytes(): number {
  if (globalThis.gc === undefined) throw new Error('to measure the heap, run Node with --expose-gc')
  globalThis.gc()
  return process.memoryUsage().heapUsed
}
