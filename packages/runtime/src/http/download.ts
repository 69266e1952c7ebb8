import {
  ApiError,
  ConnectionError,
  DeadlineError,
  DownloadError,
  ServerError,
  TimeoutError,
} from '../core/errors.ts'
import { parseDuration } from '../core/option-checks.ts'
import { parseRetryAfter } from '../retry/retry-after.ts'
import { type Retried, retry } from '../retry/retry.ts'
import { isTransient } from '../retry/transient.ts'
import { coreRetry } from './client-retry.ts'
import type { ClientCore } from './client-state.ts'
import { type Content, contentOf, continues, refusalOf } from './download-content.ts'
import type { Downloaded, DownloadOptions } from './download-options.ts'
import type { DownloadTarget } from './download-target.ts'
import { type OpenedUrl, openUrl } from './open-url.ts'
import { headerValue, toHeaders } from './transport.ts'

/** Gives a file its name, once its media type is known. */
export type NameBy = (contentType: string | undefined) => string

/** How much has to arrive on a connection for the download to count as one that makes progress. */
const PROGRESS_BYTES = 16_384

/** One download, over as many connections as it takes. */
export class Download {
  readonly #core: ClientCore
  readonly #url: string
  readonly #target: DownloadTarget
  readonly #options: DownloadOptions
  readonly #nameBy: NameBy | undefined
  #content: Content | undefined = undefined
  #bytesReceived = 0

  constructor(
    core: ClientCore,
    url: string,
    target: DownloadTarget,
    options: DownloadOptions,
    nameBy?: NameBy,
  ) {
    this.#nameBy = nameBy
    this.#core = core
    this.#url = url
    this.#target = target
    this.#options = options
  }

  async run(): Promise<Downloaded> {
    const { clock, budget } = this.#core
    const { deadline, signal } = this.#options
    const limitMs = deadline === undefined ? Infinity : parseDuration(deadline)
    const beganMs = clock.monotonic()
    const signals = [this.#core.signal, signal, this.#core.closing.signal].filter(
      (each) => each !== undefined,
    )
    budget.deposit()
    if (limitMs === Infinity) return this.#attempts(signals, Infinity)
    // A signal, so that whatever writes to the target has ended before the download does.
    const over = new AbortController()
    const timer = clock.setTimer(() => {
      const elapsedMs = clock.monotonic() - beganMs
      over.abort(new DeadlineError(`The download was not done within ${limitMs} ms.`, { limitMs, elapsedMs }))
    }, limitMs)
    try {
      return await this.#attempts([...signals, over.signal], beganMs + limitMs)
    } finally {
      timer.cancel()
    }
  }

  #attempts(signals: readonly AbortSignal[], endsAtMs: number): Promise<Downloaded> {
    let before = 0
    const job: Retried<Downloaded> = {
      ...coreRetry(this.#core, 'download'),
      signals,
      endsAtMs,
      attempt: async () => {
        before = this.#bytesReceived
        await this.#receive(signals)
        return this.#finish()
      },
      again: (error) => {
        // Progress earns new patience: a long download may be interrupted often. A few bytes at a time would never end.
        if (this.#bytesReceived >= before + PROGRESS_BYTES) job.failures = 1
        return isTransient(error, 'download')
      },
      lastError: (error) => this.#explain(error),
    }
    return retry(job)
  }

  async #receive(signals: readonly AbortSignal[]): Promise<void> {
    const opened = await openUrl(this.#core, this.#url, {
      headers: this.#resumeHeaders(),
      signals,
      timeoutMs: this.#options.timeoutMs,
    })
    const goesOn = this.#content !== undefined && continues(opened, this.#content, this.#bytesReceived)
    if (!goesOn && opened.status !== 200) {
      // The rest of what has become shorter, or of other content: start over.
      if (opened.status === 206 || opened.status === 416) this.#content = undefined
      throw await this.#refused(opened)
    }
    if (!goesOn) {
      await this.#start(contentOf(opened)).catch((error: unknown) => {
        opened.discard()
        throw error
      })
    }
    const { maxBytes } = this.#options
    const { totalBytes, exact = false } = this.#content ?? {}
    if (maxBytes !== undefined && (totalBytes ?? 0) > maxBytes) {
      opened.discard()
      throw this.#failed('too-large', `it has ${totalBytes} bytes, and maxBytes is ${maxBytes}`)
    }
    for await (const chunk of opened.body) {
      if (maxBytes !== undefined && this.#bytesReceived + chunk.length > maxBytes) {
        throw this.#failed('too-large', `it has more than the ${maxBytes} bytes of maxBytes`)
      }
      await this.#target.write(chunk)
      this.#bytesReceived += chunk.length
      const bytesReceived = this.#bytesReceived
      this.#options.onProgress?.(totalBytes === undefined ? { bytesReceived } : { bytesReceived, totalBytes })
    }
    if (exact && totalBytes !== undefined && this.#bytesReceived < totalBytes) {
      throw new ConnectionError('The body ended early.', { phase: 'receive', sent: 'yes' })
    }
  }

  /** Starts from the first byte: at the beginning, when the server can't resume, and when the content has changed. */
  async #start(content: Content): Promise<void> {
    this.#content = content
    await this.#target.restart(content, this.#nameBy?.(content.contentType))
    this.#bytesReceived = 0
  }

  #resumeHeaders(): Readonly<Record<string, string>> {
    const validator = this.#content?.validator
    if (validator === undefined || this.#bytesReceived === 0) return {}
    return { range: `bytes=${this.#bytesReceived}-`, 'if-range': validator }
  }

  async #finish(): Promise<Downloaded> {
    const { totalBytes, exact = false, contentType } = this.#content ?? {}
    if (exact && totalBytes !== undefined && totalBytes !== this.#bytesReceived) {
      throw this.#failed(
        'checksum',
        `it has ${this.#bytesReceived} bytes, and the server announced ${totalBytes}`,
      )
    }
    const { sha256 } = this.#options
    if (sha256 !== undefined && (await this.#target.sha256()) !== sha256.toLowerCase()) {
      throw this.#failed('checksum', 'its SHA-256 is not the expected one')
    }
    const path = await this.#target.finish()
    const done = { path, sizeBytes: this.#bytesReceived }
    return contentType === undefined ? done : { ...done, contentType }
  }

  async #refused(opened: OpenedUrl): Promise<unknown> {
    const { status, headers } = opened
    const refusal = await refusalOf(opened)
    opened.discard()
    if (refusal !== undefined) {
      const { failure, what } = refusal
      const told = `${what} (${status}): links live for a limited time, and no credential is sent with them. Get a new link, if the service issues one`
      return this.#failed(failure, told, status)
    }
    const answer = {
      status,
      body: undefined,
      text: '',
      headers: () => toHeaders(headers),
      retryAfterMs: parseRetryAfter(
        headerValue(headers, 'retry-after'),
        headerValue(headers, 'date'),
        this.#core.clock.now(),
      ),
    }
    const text = `download: the server answered ${status} in place of the content.`
    return status >= 500 ? new ServerError(text, answer) : new ApiError(text, answer)
  }

  #failed(failure: DownloadError['failure'], what: string, status?: number): DownloadError {
    return new DownloadError(`The download was given up: ${what}.`, {
      failure,
      bytesSoFar: this.#bytesReceived,
      status,
    })
  }

  #explain(error: unknown): unknown {
    if (!ConnectionError.is(error) && !TimeoutError.is(error)) return error
    if (this.#bytesReceived === 0) return error
    return new DownloadError(
      `The download was interrupted after ${this.#bytesReceived} bytes, and could not be resumed in time.`,
      { failure: 'interrupted', bytesSoFar: this.#bytesReceived },
      { cause: error },
    )
  }
}
