import { type ChildProcess, fork } from 'node:child_process'
import { createServer } from 'node:http'
import { join } from 'node:path'

import { createEmulator, type Emulator, type EmulatorOptions } from '@concord/emulator'
import type { StoredSession } from '@concord/runtime/session'

import type { Place } from './places.ts'
import type { Command, Report } from './worker.ts'

/** A refresh token, as it was presented to the service. */
interface Presentation {
  readonly token: string
  /** The stored session at that moment. */
  readonly stored: StoredSession | undefined
}

/** The steps of a refresh as the server sees them, in order. */
export type Moment = 'rejected' | 'presented' | 'granted' | 'responded'

/** An emulator behind a server that reads the stored session whenever a refresh token is presented. */
export interface Watched extends AsyncDisposable {
  readonly emulator: Emulator
  readonly authUrl: string
  readonly dataUrl: string
  readonly place: Place
  readonly presentations: Presentation[]
  /** Called at each moment of a refresh, and awaited. `drop`: the request never arrived. */
  onMoment: (moment: Moment) => void | Promise<void | 'drop'>
}

export async function watched(place: Place, options: EmulatorOptions = {}): Promise<Watched> {
  const emulator = await createEmulator(options)
  const { storageAuth } = emulator
  const presentations: Presentation[] = []
  const { origin } = new URL(storageAuth.authUrl)
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('error', () => undefined)
    request.on('end', () => void respond())
    const respond = async (): Promise<void> => {
      const body = Buffer.concat(chunks)
      const { url = '/', method = 'GET' } = request
      const refreshes = url.endsWith('/auth/token/refresh')
      if (refreshes) {
        const { refresh_token: token } = JSON.parse(String(body)) as { refresh_token: string }
        presentations.push({ token, stored: await place.stored() })
        if ((await service.onMoment('presented')) === 'drop') return void request.socket.destroy()
      }
      const headers = new Headers()
      for (const name of ['authorization', 'content-type', 'x-api-key']) {
        const value = request.headers[name]
        if (typeof value === 'string') headers.set(name, value)
      }
      const sent = { method, headers, ...(body.length === 0 ? {} : { body }) }
      const forwarded = await storageAuth.fetch(new Request(origin + url, sent))
      if (refreshes) await service.onMoment('granted')
      response.writeHead(forwarded.status, Object.fromEntries(forwarded.headers))
      response.end(Buffer.from(await forwarded.arrayBuffer()))
      if (refreshes) await service.onMoment('responded')
      else if (forwarded.status === 401) await service.onMoment('rejected')
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const local = (url: string): string => `http://127.0.0.1:${port}${new URL(url).pathname}`
  const service: Watched = {
    onMoment: () => undefined,
    emulator,
    authUrl: local(storageAuth.authUrl),
    dataUrl: local(storageAuth.dataUrl),
    place,
    presentations,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await emulator.close()
      await place.remove()
    },
  }
  return service
}

/** One of the processes that share the session. */
export class Worker {
  readonly process: ChildProcess
  readonly reports: Report[] = []
  readonly #waiting: ((report: Report) => void)[] = []
  readonly #ended: Promise<void>

  constructor(file: string, { authUrl, dataUrl, place }: Watched, limit: 'unlimited' | 'frozen') {
    this.process = fork(file, [authUrl, dataUrl, place.kind, place.address, limit], {
      execArgv: ['--no-warnings'],
      env: { ...process.env, NODE_COMPILE_CACHE: join(file, '..', 'cache') },
    })
    this.process.on('message', (report: Report) => {
      const next = this.#waiting.shift()
      if (next === undefined) this.reports.push(report)
      else next(report)
    })
    this.process.on('error', () => undefined)
    this.#ended = new Promise((resolve) => this.process.once('exit', () => resolve()))
  }

  /** Returns its next report; `killed` if it ends before sending one. */
  next(): Promise<Report> {
    const said = this.reports.shift()
    if (said !== undefined) return Promise.resolve(said)
    const { promise, resolve } = Promise.withResolvers<Report>()
    this.#waiting.push(resolve)
    void this.#ended.then(() => resolve({ outcome: 'killed' }))
    return promise
  }

  async do(command: Command): Promise<Report> {
    this.tell(command)
    return this.next()
  }

  tell(command: Command): void {
    if (this.process.connected) this.process.send(command, () => undefined)
  }

  async kill(): Promise<void> {
    this.process.kill('SIGKILL')
    await this.#ended
  }
}
