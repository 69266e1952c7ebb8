import { OptionsError, UnexpectedContentError } from '../core/errors.ts'
import { load } from '../core/load.ts'
import { checkOptionNames, type Duration, type OptionNames } from '../core/option-checks.ts'
import { type ClientCore, coreOf } from './client-state.ts'
import type { Client } from './client.ts'

const READ_OPTIONS: OptionNames<ReadTextOptions> = {
  signal: true,
  timeoutMs: true,
  deadline: true,
  maxBytes: true,
  onProgress: true,
}
const OPTIONS: OptionNames<DownloadOptions> = { ...READ_OPTIONS, sha256: true }
const INTO_OPTIONS: OptionNames<DownloadIntoOptions> = { ...OPTIONS, nameBy: true }

/**
 * Downloads what is at an address that an answer gave into a file; Node only. No credential is sent there. It is
 * written beside the target and renamed when it is complete; interrupted, it is resumed where the server allows.
 *
 * @throws DownloadError, ApiError, ConnectionError, TimeoutError, DeadlineError; OptionsError when the file cannot
 * be written. The target is not touched then, and nothing is left beside it.
 * @public
 */
export async function download(
  client: Client,
  url: string,
  path: string,
  options: DownloadOptions = {},
): Promise<Downloaded> {
  const core = coreOf(client, 'download')
  checkOptionNames(options, OPTIONS, 'options')
  if (typeof path !== 'string' || path === '' || /[/\\]$/.test(path)) {
    throw new OptionsError(
      'path',
      '`path` must name a file.',
      'Pass the path of the file to write, including its name.',
    )
  }
  const { openTarget } = await load(import('#files'), options)
  const target = await openTarget(path)
  try {
    return await run(core, url, target, options)
  } finally {
    await target.discard()
  }
}

/**
 * Downloads into a folder, which is created if it is missing, under a name that can depend on the media type of the
 * content; Node only. Otherwise as {@link download}.
 *
 * @example
 * ```ts
 * await downloadInto(client, link, 'films', { nameBy: (type) => (type === 'video/mp4' ? 'film.mp4' : 'film') })
 * ```
 *
 * @throws as {@link download}.
 * @public
 */
export async function downloadInto(
  client: Client,
  url: string,
  folder: string,
  options: DownloadIntoOptions,
): Promise<Downloaded> {
  const core = coreOf(client, 'downloadInto')
  checkOptionNames(options, INTO_OPTIONS, 'options')
  const { nameBy } = options
  if (typeof nameBy !== 'function') {
    throw new OptionsError(
      'nameBy',
      '`nameBy` must be a function.',
      'Pass a function that returns the name of the file.',
    )
  }
  if (typeof folder !== 'string' || folder === '') {
    throw new OptionsError(
      'folder',
      '`folder` must name a folder.',
      'Pass the path of the folder to write into.',
    )
  }
  const { openTargetIn } = await load(import('#files'), options)
  const target = await openTargetIn(folder)
  const plainName = (contentType: string | undefined): string => {
    const name = nameBy(contentType)
    if (name !== '' && name !== '.' && name !== '..' && !/[/\\]/.test(name)) return name
    throw new OptionsError('name', '`name` is not a plain file name.', 'Pass a name without any folder.')
  }
  try {
    return await run(core, url, target, { ...options, nameBy: plainName })
  } finally {
    await target.discard()
  }
}

/**
 * Reads the text at an address that an answer gave. No credential is sent there.
 *
 * @throws DownloadError, ApiError, ConnectionError, TimeoutError, DeadlineError; UnexpectedContentError when it is not
 * UTF-8.
 * @public
 */
export async function readText(client: Client, url: string, options: ReadTextOptions = {}): Promise<string> {
  const core = coreOf(client, 'readText')
  checkOptionNames(options, READ_OPTIONS, 'options')
  const { MemoryTarget } = await load(import('./download-targets.ts'), options)
  const target = new MemoryTarget()
  const { contentType } = await run(core, url, target, bounded(core, options))
  const text = target.text()
  if (text !== undefined) return text
  throw new UnexpectedContentError(
    'readText: what is at this address is not text in UTF-8. Read it with readBlob.',
    { status: 200, body: undefined, text: '', headers: () => new Headers() },
    { contentType: contentType ?? '', excerpt: '' },
    { operation: 'readText' },
  )
}

/**
 * Reads what is at an address that an answer gave into memory, with its media type. No credential is sent there.
 *
 * @throws DownloadError, ApiError, ConnectionError, TimeoutError, DeadlineError.
 * @public
 */
export async function readBlob(client: Client, url: string, options: ReadTextOptions = {}): Promise<Blob> {
  const core = coreOf(client, 'readBlob')
  checkOptionNames(options, READ_OPTIONS, 'options')
  const { MemoryTarget } = await load(import('./download-targets.ts'), options)
  const target = new MemoryTarget()
  const { contentType } = await run(core, url, target, bounded(core, options))
  return target.blob(contentType)
}

/**
 * Reads what is at an address that an answer gave while it arrives. No credential is sent there. Resolves once the server
 * has begun to send it. `maxBytes` has no default here.
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
  checkOptionNames(options, READ_OPTIONS, 'options')
  const { StreamTarget } = await load(import('./download-targets.ts'), options)
  const target = new StreamTarget()
  const { signal } = options
  const stop = signal === undefined ? target.left : AbortSignal.any([signal, target.left])
  run(core, url, target, { ...options, signal: stop }).catch((error: unknown) => target.fail(error))
  return target.begun
}

/** What is read into memory has a limit, also where the option is given as `undefined`. */
function bounded({ maxResponseBytes }: ClientCore, options: ReadTextOptions): DownloadOptions {
  return { ...options, maxBytes: options.maxBytes ?? maxResponseBytes }
}

/** Downloads. What that takes is loaded by those who do it. */
async function run(
  core: ClientCore,
  url: string,
  target: DownloadTarget,
  options: Partial<DownloadIntoOptions>,
): Promise<Downloaded> {
  const { Download } = await load(import('./download-run.ts'), options)
  return new Download(core, url, target, options).run()
}

/** How something is downloaded. @public */
export interface DownloadOptions {
  readonly signal?: AbortSignal
  /** Milliseconds until the headers are there, and for each silence in the body; default the client's. */
  readonly timeoutMs?: number
  /** Limit for the whole download, its repetitions included. */
  readonly deadline?: Duration
  /** Refuse more than this; default no limit. */
  readonly maxBytes?: number
  /** The SHA-256 that the content must have, in hexadecimal. */
  readonly sha256?: string
  /** Told how much has come. */
  readonly onProgress?: (progress: DownloadProgress) => void
}

/** How something is downloaded into a folder. @public */
export interface DownloadIntoOptions extends DownloadOptions {
  /** Returns the name of the file, without any folder, for the media type that came with the content. */
  readonly nameBy: (contentType: string | undefined) => string
}

/** How a text is read. `maxBytes` is the client's `maxResponseBytes` unless it is given. @public */
export type ReadTextOptions = Omit<DownloadOptions, 'sha256'>

/** How far a download has come. @public */
export interface DownloadProgress {
  readonly bytesReceived: number
  /** Where the server said it. */
  readonly totalBytes?: number
}

/** What was downloaded. @public */
export interface Downloaded {
  readonly path: string
  readonly sizeBytes: number
  /** The media type, where the server gave one. */
  readonly contentType?: string
}

/** A download that is read while it arrives. @public */
export interface StreamedDownload {
  /** The media type, if the server sent one. */
  readonly contentType?: string
  /** If the server sent a length. */
  readonly totalBytes?: number
  /**
   * The content. It is fetched as fast as it is read, and an interrupted download is resumed if the server allows.
   * Cancelling it ends the download. It errors with what {@link readBlob} would throw.
   */
  readonly body: ReadableStream<Uint8Array>
}

/** What is known of the content from its first answer. */
export interface Content {
  readonly totalBytes: number | undefined
  /** Whether `totalBytes` is certain. Pages can't see whether an answer from another origin was compressed. */
  readonly exact: boolean
  readonly contentType: string | undefined
  /** A validator that is strong enough to resume by (RFC 9110, section 13.1.5). */
  readonly validator: string | undefined
}

/** Where a download is written. Nothing is at the final place until all of it is. */
export interface DownloadTarget {
  write(chunk: Uint8Array): Promise<void>
  /**
   * The content starts, or starts over: forgets what was written.
   *
   * @param name - The name of the file, without any folder, if it depends on the content.
   * @throws OptionsError when there can be no file of that name.
   */
  restart(content: Content, name?: string): Promise<void>
  /** The digest of what was written, in hexadecimal. */
  sha256(): Promise<string>
  /** Puts it in its final place, and returns its path. */
  finish(): Promise<string>
  /** Leaves nothing behind. */
  discard(): Promise<void>
}
