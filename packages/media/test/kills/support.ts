import { type ChildProcess, fork } from 'node:child_process'
import { createServer } from 'node:http'
import { join } from 'node:path'

import type { Emulator } from '@concord/emulator'

import type { Report, Work } from './worker.ts'

/** The moments of one request that the server sees, in order. */
export type Moment = 'arrived' | 'made' | 'responded' | 'polled' | 'downloaded'

/** A served emulator that reports each moment, so that the test can act on it. */
export interface Watched extends AsyncDisposable {
  readonly baseUrl: string
  /** `drop`: the connection is cut. */
  onMoment: (moment: Moment) => 'drop' | undefined | void
}

/** Serves the emulator's media service over HTTP. */
export async function watched({ media }: Emulator): Promise<Watched> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('error', () => undefined)
    response.on('error', () => undefined)
    request.on('end', () => void respond().catch(() => response.destroy()))
    const respond = async (): Promise<void> => {
      const { url = '/', method = 'GET' } = request
      const submits = method === 'POST'
      if (submits && service.onMoment('arrived') === 'drop') return void request.socket.destroy()
      const headers = new Headers()
      for (const [name, value] of Object.entries(request.headers))
        if (typeof value === 'string' && !['connection', 'content-length', 'host'].includes(name))
          headers.set(name, value)
      const body = Buffer.concat(chunks)
      const sent = { method, headers, ...(body.length === 0 ? {} : { body }) }
      const forwarded = await media.fetch(new Request(service.baseUrl + url, sent))
      if (submits && service.onMoment('made') === 'drop') return void request.socket.destroy()
      response.writeHead(forwarded.status, Object.fromEntries(forwarded.headers))
      response.end(Buffer.from(await forwarded.arrayBuffer()))
      const moment = url.startsWith('/v1/tasks/') ? 'polled' : 'downloaded'
      service.onMoment(submits ? 'responded' : moment)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const service: Watched = {
    onMoment: () => undefined,
    baseUrl: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return service
}

/** One of the processes that work on a batch. */
export class Worker {
  readonly #process: ChildProcess
  readonly #said: Report[] = []
  readonly #waiting: ((report: Report) => void)[] = []
  readonly ended: Promise<void>

  constructor(file: string) {
    this.#process = fork(file, ['work'], {
      execArgv: ['--no-warnings'],
      env: { ...process.env, NODE_COMPILE_CACHE: join(file, '..', 'cache') },
    })
    this.#process.on('message', (report: Report) => {
      const next = this.#waiting.shift()
      if (next === undefined) this.#said.push(report)
      else next(report)
    })
    this.#process.on('error', () => undefined)
    this.ended = new Promise((resolve) => this.#process.once('exit', () => resolve()))
  }

  /** Returns its next report; `killed` if it ends before sending one. */
  next(): Promise<Report> {
    const said = this.#said.shift()
    if (said !== undefined) return Promise.resolve(said)
    const { promise, resolve } = Promise.withResolvers<Report>()
    this.#waiting.push(resolve)
    void this.ended.then(() => resolve('killed'))
    return promise
  }

  begin(work: Work): void {
    if (this.#process.connected) this.#process.send(work, () => undefined)
  }

  async kill(): Promise<void> {
    this.#process.kill('SIGKILL')
    await this.ended
  }
}
