import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

import { Unavailable } from './unavailable.ts'
import type { Served } from './serve.ts'

interface CommandOptions {
  readonly env?: Readonly<Record<string, string>>
  /** A string that the command's output must contain. */
  readonly prints?: string
  /** A string that the command's output must not contain. */
  readonly lacks?: string
  /** The time limit. Default: ten minutes, since a machine that runs all consumers is busy. */
  readonly limitMs?: number
}

/** A project in a folder outside of the workspace. */
export class Project {
  readonly folder: string
  /** The `node_modules` folder, which all consumers of a group share. */
  readonly modules: string
  readonly #serve: () => Promise<Served>
  readonly #env: NodeJS.ProcessEnv

  constructor(folder: string, modules: string, serve: () => Promise<Served>) {
    this.folder = folder
    this.modules = modules
    this.#serve = serve
    this.#env = { ...process.env, CI: '1', NO_COLOR: '1' }
    delete this.#env['FORCE_COLOR']
    // The project's tools must come before the tools of the workspace.
    this.#env['PATH'] = [join(modules, '.bin'), join(process.execPath, '..'), process.env['PATH'] ?? ''].join(
      delimiter,
    )
  }

  /** Returns the URLs and credentials of the running emulator, which all consumers share. */
  served(): Promise<Served> {
    return this.#serve()
  }

  /**
   * Runs a command in the folder of the project and returns its output.
   *
   * @throws Error with the end of the output, if the command fails.
   */
  async run(command: string, words: readonly string[], options: CommandOptions = {}): Promise<string> {
    const { env = {}, prints, lacks, limitMs = 600_000 } = options
    const served = JSON.stringify(await this.#serve())
    const child = spawn(command, words, {
      cwd: this.folder,
      env: { ...this.#env, CONCORD_SERVED: served, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      // Ends the whole process group, since test runners and bundlers start other processes.
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    }, limitMs)
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', resolve)
    }).finally(() => clearTimeout(timer))
    const said = `${command.split('/').at(-1)} ${words.join(' ')}`
    if (isLate) throw new Error(`${said} took longer than ${limitMs / 1000} s\n${tail(output)}`)
    if (code !== 0) throw new Error(`${said} exited with ${code}\n${tail(output)}`)
    if (prints !== undefined && !output.includes(prints))
      throw new Error(`${said} did not print ${JSON.stringify(prints)}\n${tail(output)}`)
    if (lacks !== undefined && output.includes(lacks))
      throw new Error(`${said} printed ${JSON.stringify(lacks)}\n${tail(output)}`)
    return output
  }

  /** Runs a program with the workspace's Node. */
  node(words: readonly string[], options?: CommandOptions): Promise<string> {
    return this.run(process.execPath, words, options)
  }

  /**
   * Returns the path of a file of an installed package.
   *
   * @throws Unavailable if the file isn't installed on this machine.
   */
  file(...path: readonly string[]): string {
    const file = join(this.modules, ...path)
    if (!existsSync(file)) throw new Unavailable(`${path.join('/')} isn't installed for this machine`)
    return file
  }

  /** Returns the path of a platform-specific binary. */
  platformFile(scope: string, prefix: string, path: string): string {
    const folder = join(this.modules, scope)
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith(prefix)) : []
    const files = names.map((name) => join(folder, name, path)).filter((file) => existsSync(file))
    if (files[0] === undefined) throw new Unavailable(`${scope} has no binary for this machine`)
    return files[0]
  }
}

const tail = (output: string): string => output.trim().split('\n').slice(-40).join('\n')
