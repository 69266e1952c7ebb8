import { OptionsError, UnexpectedContentError } from '../core/errors.ts'
import { load } from '../core/async.ts'
import {
  checkOptionNames,
  type Duration,
  functionOption,
  type OptionNames,
  parseDuration,
  signalOption,
} from '../core/option-checks.ts'
import { type ClientCore, coreOf } from './client-state.ts'
import type { Client } from './client.ts'

const READ_OPTIONS: OptionNames<ReadTextOptions> = {
  signal: true,
  timeoutMs: true,
  deadline: true,
  maxBytes: true,
  onProgress: true,
  accepts: true,
}
const OPTIONS: OptionNames<DownloadOptions> = { ...READ_OPTIONS, sha256: true }
const INTO_OPTIONS: OptionNames<DownloadIntoOptions> = { ...OPTIONS, nameBy: true }

/**
 * Downloads content into a file, from a URL that a response contains. Node only. Sends no credential. Writes a
 * temporary file next to `path`, and renames it when it is complete. An interrupted download is resumed if the server
 * allows it.
 *
 * @throws DownloadError, ApiError, ConnectionError, TimeoutError, DeadlineError; OptionsError if the file can't be
 *   written. After an error, an existing file at `path` is unchanged, and no temporary file is left.
 * @public
 */
export async function download(
  client: Client,
  url: string,
  path: string,
  options: DownloadOptions = {},
): Promise<Downloaded> {
  const core = coreOf(client, 'download')
  checkOptions(options, OPTIONS)
  if (typeof path !== 'string' || path === '' || /[/\\]$/.test(path)) {
    throw new OptionsError(
      'path',
      'must name a file.',
      'Pass the path of the file to write, including its name.',
    )
  }
  const { openTarget } = await load(import('#files'), options)
  return run(core, url, await openTarget(path), options)
}

/**
 * Downloads content into a folder, which is created if it is missing. The name of the file can depend on the media
 * type of the content. Node only. Otherwise works like {@link download}.
 *
 * @example
 * ```ts
 * await downloadInto(client, link, 'films', { nameBy: (type) => (type === 'video/mp4' ? 'film.mp4' : 'film') })
 * ```
 *
 * @throws The same errors as {@link download}.
 * @public
 */
export async function downloadInto(
  client: Client,
  url: string,
  folder: string,
  options: DownloadIntoOptions,
): Promise<Downloaded> {
  const core = coreOf(client, 'downloadInto')
  checkOptions(options, INTO_OPTIONS)
  const { nameBy } = options
  if (typeof nameBy !== 'function') {
    throw new OptionsError(
      'nameBy',
      'must be a function.',
      'Pass a function that returns the name of the file.',
    )
  }
  if (typeof folder !== 'string' || folder === '') {
    throw new OptionsError('folder', 'must name a folder.', 'Pass the path of the folder to write into.')
  }
  const { openTargetIn } = await load(import('#files'), options)
  const target = await openTargetIn(folder)
  const plainName = (contentType: string | undefined): string => {
    const name = nameBy(contentType)
    if (name !== '' && name !== '.' && name !== '..' && !/[/\\]/.test(name)) return name
    throw new OptionsError(
      'nameBy',
      '`nameBy` must return a plain file name.',
      'Return only the name, without a folder.',
    )
  }
  return run(core, url, target, { ...options, nameBy: plainName })
}

/**
 * Reads the text at a URL that a response contains. Sends no credential.
 *
 * @throws DownloadError, ApiError, ConnectionError, TimeoutError, DeadlineError; UnexpectedContentError if the text
 *   isn't UTF-8.
 * @public
 */
export async function readText(client: Client, url: string, options: ReadTextOptions = {}): Promise<string> {
  const { target, contentType } = await readMemory(client, url, options, 'readText')
  const text = target.text()
  if (text !== undefined) return text
  throw new UnexpectedContentError(
    'readText: the content at this URL is not text in UTF-8. Read the content with readBlob.',
    { status: 200, body: undefined, text: '', headers: () => new Headers() },
    { contentType: contentType ?? '', excerpt: '' },
    { operation: 'readText' },
  )
}

/**
 * Reads the content at a URL that a response contains. The Blob has the media type of the content. Sends no
 * credential.
 *
 * @throws DownloadError, ApiError, ConnectionError, TimeoutError, DeadlineError.
 * @public
 */
export async function readBlob(client: Client, url: string, options: ReadTextOptions = {}): Promise<Blob> {
  const { target, contentType } = await readMemory(client, url, options, 'readBlob')
  return target.blob(contentType)
}

async function readMemory(
  client: Client,
  url: string,
  options: ReadTextOptions,
  caller: 'readText' | 'readBlob',
) {
  const core = coreOf(client, caller)
  checkOptions(options, READ_OPTIONS)
  const { MemoryTarget } = await load(import('./download-run.ts'), options)
  const target = new MemoryTarget()
  const maxBytes = options.maxBytes ?? core.maxResponseBytes
  const { contentType } = await run(core, url, target, { ...options, maxBytes })
  return { target, contentType }
}

/**
 * Reads content as a stream, from a URL that a response contains. Sends no credential. Resolves once the server has
 * begun to send the content. Unlike in {@link readText}, `maxBytes` has no default.
 *
 * @throws DownloadError, ApiError, ConnectionError, TimeoutError, DeadlineError.
 * @public
 */
export async function readStream(
  client: Client,
  url: string,
  options: ReadTextOptions = {},
): Promise<StreamedDownload> {
  const core = coreOf(client, 'readStream')
  checkOptions(options, READ_OPTIONS)
  const { StreamTarget } = await load(import('./download-run.ts'), options)
  const target = new StreamTarget()
  const { signal } = options
  const stop = signal === undefined ? target.left : AbortSignal.any([signal, target.left])
  run(core, url, target, { ...options, signal: stop }).catch((error: unknown) => target.fail(error))
  return target.begun
}

function checkOptions(options: DownloadOptions, names: OptionNames<ReadTextOptions>): void {
  checkOptionNames(options, names, 'options')
  const { signal, deadline, maxBytes, onProgress, accepts } = options
  signalOption(signal)
  functionOption(onProgress, 'onProgress')
  functionOption(accepts, 'accepts')
  if (deadline !== undefined) parseDuration(deadline)
  if (maxBytes !== undefined && !(typeof maxBytes === 'number' && maxBytes >= 0))
    throw new OptionsError(
      'maxBytes',
      'must be a number of bytes.',
      'Pass a number of at least 0, or omit the option.',
    )
}

async function run(
  core: ClientCore,
  url: string,
  target: DownloadTarget,
  options: Partial<DownloadIntoOptions>,
): Promise<Downloaded> {
  try {
    const { Download } = await load(import('./download-run.ts'), options)
    return await new Download(core, url, target, options).run()
  } finally {
    await target.discard?.()
  }
}

/** Options of a download. @public */
export interface DownloadOptions {
  readonly signal?: AbortSignal
  /**
   * How long to wait for the headers, and then for each piece of the body, in milliseconds. Default: the client's
   * `timeoutMs`.
   */
  readonly timeoutMs?: number
  /** The time limit for the whole download, including retries. */
  readonly deadline?: Duration
  /** Maximum size of the content in bytes. Larger content is an error. Default: no limit. */
  readonly maxBytes?: number
  /** The expected SHA-256 of the content, in hexadecimal. */
  readonly sha256?: string
  /** Called each time a piece of the content has been received. */
  readonly onProgress?: (progress: DownloadProgress) => void
  /**
   * Returns whether to accept content of this media type. For example, reject `text/html`, which may be the error
   * page of a proxy. If the function returns false, the download fails with an UnexpectedContentError. Default: every
   * media type is accepted.
   */
  readonly accepts?: (contentType: string | undefined) => boolean
}

/** Options of {@link downloadInto}. @public */
export interface DownloadIntoOptions extends DownloadOptions {
  /** Returns the name of the file, without any folder, for the media type of the content. */
  readonly nameBy: (contentType: string | undefined) => string
}

/** Options of {@link readText}. `maxBytes` defaults to the client's `maxResponseBytes`. @public */
export type ReadTextOptions = Omit<DownloadOptions, 'sha256'>

/** The progress of a download. @public */
export interface DownloadProgress {
  readonly bytesReceived: number
  /** The length of the content, if the server sent one. */
  readonly totalBytes?: number
}

/** The result of a download. @public */
export interface Downloaded {
  readonly path: string
  readonly sizeBytes: number
  /** The media type, if the server sent one. */
  readonly contentType?: string
}

/** A download that is read as a stream. @public */
export interface StreamedDownload {
  /** The media type, if the server sent one. */
  readonly contentType?: string
  /** The length of the content, if the server sent one. */
  readonly totalBytes?: number
  /**
   * The content, fetched only as fast as it is read. An interrupted download is resumed if the server allows it.
   * Canceling the stream ends the download. The stream fails with the errors of {@link readBlob}.
   */
  readonly body: ReadableStream<Uint8Array>
}

/** Properties of the content, taken from the first response. */
export interface Content {
  readonly totalBytes: number | undefined
  /**
   * Whether `totalBytes` is certain. If not, it may be the length of compressed content: a web page can't see whether
   * a response from another origin was compressed.
   */
  readonly exact: boolean
  readonly contentType: string | undefined
  /** A validator that is strong enough for resuming the download (RFC 9110, section 13.1.5). */
  readonly validator: string | undefined
}

/** The destination of a download. A file appears at its final path only when the download is complete. */
export interface DownloadTarget {
  write(chunk: Uint8Array): Promise<void>
  /**
   * Discards everything written so far. Called before the first piece, and again if the download starts over.
   *
   * @param name - The name of the file, without any folder, if it depends on the content.
   * @throws OptionsError if a file with that name can't be created.
   */
  restart(content: Content, name?: string): Promise<void>
  /** Returns the SHA-256 of the written content, in hexadecimal. Absent if the target isn't a file. */
  sha256?(): Promise<string>
  /** Called after the last piece. Moves a file to its final path, and returns that path. */
  finish?(): Promise<string>
  /** Removes everything that was written but not finished. Absent if nothing has to be removed. */
  discard?(): Promise<void>
}
