import {
  ContractDriftError,
  download,
  downloadInto,
  OptionsError,
  readBlob,
  readStream,
  type Client,
  type Downloaded,
  type DownloadOptions,
} from '@concord/runtime'
import {
  canBeMedia,
  checkOptionNames,
  functionOption,
  type OptionNames,
  parseDuration,
  type ReadTextOptions,
  requiredString,
  type StreamedDownload,
} from '@concord/runtime/internal'
import type { Task } from '@concord/media-validators'

import { extensionFor } from './media-types.ts'

/**
 * A task that has succeeded: the record that `getTask` returned, plus `outputs` and `download`. These two properties
 * are not enumerable. If the record itself has a field with one of these names, read the field from the handle's
 * `snapshot`.
 *
 * @public
 */
export interface SucceededTask extends Omit<Task, 'status' | 'output'> {
  readonly status: 'SUCCEEDED'
  /** Signed URLs. They expire within 24 to 48 hours, so keep the content, not the URLs. */
  readonly output: readonly string[]
  /** The generated files, in the order of `output`. Each can be read as a stream, a Blob or bytes, or saved as a file. */
  readonly outputs: readonly TaskOutput[]
  /**
   * Downloads all outputs into a folder, which is created if it doesn't exist; Node only. Files are named after the task,
   * with the extension of the media type that the server sends. Neither the API secret nor the version header is
   * sent. An interrupted download is resumed. A `deadline` covers the downloads of all outputs.
   *
   * @example
   * ```ts
   * const [film] = await done.download({ folder: 'out' })
   * ```
   * @param options - The folder, and how to name and read the files.
   * @throws DownloadError with `failure: 'expired'` if a link has expired. The documentation doesn't say whether the
   * service issues a new link.
   */
  download(options: TaskDownloadOptions): Promise<readonly DownloadedOutput[]>
}

/**
 * One generated file, at its signed URL. All methods except `save` work in any runtime. Each call downloads the file again.
 * Neither the API secret nor the version header is sent to the URL.
 *
 * @public
 */
export interface TaskOutput {
  /** The signed URL, which expires within 24 to 48 hours. */
  readonly url: string
  /** The position in `output`, from 0. */
  readonly index: number
  /**
   * Opens the content as a stream, which is fetched only as fast as it is read. Resolves once the server starts sending.
   *
   * @throws DownloadError with `failure: 'expired'` if the link has expired.
   */
  stream(options?: OutputOptions): Promise<StreamedDownload>
  /** Reads the content into a Blob of the same media type. `maxBytes` defaults to the client's `maxResponseBytes`. */
  blob(options?: OutputOptions): Promise<Blob>
  /** Reads the content into memory. `maxBytes` defaults to the client's `maxResponseBytes`. */
  bytes(options?: OutputOptions): Promise<Uint8Array<ArrayBuffer>>
  /**
   * Downloads the content to the given path; Node only. The content is first written to a temporary file in the same
   * folder. So an existing file is replaced only by complete content.
   *
   * @param path - The path of the file.
   * @throws OptionsError if the path is a folder or can't be written.
   */
  save(path: string, options?: OutputSaveOptions): Promise<Downloaded>
}

/**
 * How an output is read: signal, time limits, `maxBytes`, `onProgress`, and `accepts`, which decides whether a media
 * type is accepted. By default, HTML, JSON and XML are rejected.
 *
 * @public
 */
export type OutputOptions = ReadTextOptions

/** How an output is saved: {@link OutputOptions}, plus `sha256`. @public */
export type OutputSaveOptions = DownloadOptions

/** Where and how the outputs of a task are downloaded. @public */
export interface TaskDownloadOptions extends Omit<DownloadOptions, 'onProgress' | 'sha256'> {
  /** The folder to write into. Created if it doesn't exist. For an exact file path, see {@link TaskOutput.save}. */
  readonly folder: string
  /** Called with the progress of each output. */
  readonly onProgress?: (progress: OutputProgress) => void
  /**
   * Returns the name of an output's file, without the extension. Each output of the task needs a different name.
   * Default: the task's id, with a number if the task has several outputs.
   */
  readonly nameOf?: (output: {
    readonly taskId: string
    readonly index: number
    readonly count: number
  }) => string
}

/** The progress of downloading one output. @public */
export interface OutputProgress {
  /** The position of the output, from 0. */
  readonly index: number
  readonly count: number
  readonly bytesReceived: number
  /** The length of the output in bytes, if the server sent a length. */
  readonly totalBytes?: number
}

/** An output that was downloaded. @public */
export interface DownloadedOutput extends Downloaded {
  readonly url: string
}

/** @throws ContractDriftError if the `output` of a succeeded task is not a list of URLs. */
export function toSucceeded(task: Task, client: Client): SucceededTask {
  const output: unknown = task.output
  if (!Array.isArray(output) || !output.every((url) => typeof url === 'string')) {
    throw new ContractDriftError(
      `getTask: the task ${task.id} has succeeded, but its output is not a list of URLs, so nothing can be downloaded. The ` +
        "whole task is in this error's `data`; report the problem to the service's provider.",
      [{ path: '/output', reason: 'must be an array of strings' }],
      task,
      { operation: 'getTask' },
    )
  }
  const urls: readonly string[] = output
  // Not enumerable, so that a task is logged and serialized as the service sent it.
  return Object.defineProperties(
    { ...task },
    {
      outputs: { get: () => urls.map((url, index) => new Output(client, url, index)) },
      download: {
        value: (options: TaskDownloadOptions) => downloadAll(client, task.id, urls, options),
      },
    },
  ) as unknown as SucceededTask
}

class Output implements TaskOutput {
  readonly #client: Client
  readonly url: string
  readonly index: number

  constructor(client: Client, url: string, index: number) {
    this.#client = client
    this.url = url
    this.index = index
  }

  stream(options?: OutputOptions): Promise<StreamedDownload> {
    return readStream(this.#client, this.url, withMedia(options))
  }

  blob(options?: OutputOptions): Promise<Blob> {
    return readBlob(this.#client, this.url, withMedia(options))
  }

  async bytes(options?: OutputOptions): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await (await this.blob(options)).arrayBuffer())
  }

  save(path: string, options?: OutputSaveOptions): Promise<Downloaded> {
    return download(this.#client, this.url, path, withMedia(options))
  }
}

/**
 * By default, rejects media types that can't be an output, such as HTML. Otherwise, the error page of an expired link
 * would be saved as the output.
 */
function withMedia<Options extends OutputOptions>(options: Options | undefined): Options {
  return { accepts: canBeMedia, ...options } as Options
}

const DOWNLOAD_OPTIONS: OptionNames<TaskDownloadOptions> = {
  folder: true,
  signal: true,
  timeoutMs: true,
  deadline: true,
  maxBytes: true,
  onProgress: true,
  accepts: true,
  nameOf: true,
}

/** @throws OptionsError if the options are invalid. */
export function checkDownload(options: TaskDownloadOptions): void {
  if (typeof options === 'string') {
    throw new OptionsError(
      'options',
      '`options` must be an object, because a string could mean a folder or a file.',
      "Pass { folder: 'out' }, or save one output with outputs[0].save('out/film.mp4').",
    )
  }
  checkOptionNames(options, DOWNLOAD_OPTIONS, 'options')
  requiredString(options.folder, 'folder', 'Pass the path of the folder to write into.')
  functionOption(options.onProgress, 'onProgress')
  functionOption(options.nameOf, 'nameOf')
}

async function downloadAll(
  client: Client,
  taskId: string,
  urls: readonly string[],
  allOptions: TaskDownloadOptions,
): Promise<readonly DownloadedOutput[]> {
  checkDownload(allOptions)
  const { folder, onProgress, nameOf = defaultName, ...options } = allOptions
  const count = urls.length
  const names = urls.map((_, index) => plainName(nameOf({ taskId, index, count })))
  if (new Set(names).size < count) {
    throw new OptionsError(
      'nameOf',
      '`nameOf` returned the same name for several outputs, so one file would replace another.',
      'Make the name depend on `index`.',
    )
  }
  const done: DownloadedOutput[] = []
  const endsAtMs =
    options.deadline === undefined ? undefined : client.clock.monotonic() + parseDuration(options.deadline)
  for (const [index, url] of urls.entries()) {
    const name = names[index]
    const downloaded = await downloadInto(client, url, folder, {
      ...withMedia(options),
      nameBy: (contentType) => `${name}.${extensionFor(contentType, url)}`,
      ...(endsAtMs !== undefined && { deadline: Math.max(1, endsAtMs - client.clock.monotonic()) }),
      ...(onProgress && { onProgress: (progress) => onProgress({ index, count, ...progress }) }),
    })
    done.push({ ...downloaded, url })
  }
  return done
}

/** Checks that a name contains no folder, so that the file can't be written outside the chosen folder. */
function plainName(name: unknown): string {
  if (typeof name === 'string' && name !== '' && !/[/\\\0]/.test(name)) return name
  throw new OptionsError(
    'nameOf',
    typeof name === 'string'
      ? '`nameOf` returned a name that is empty, or contains a slash, a backslash or a null character.'
      : '`nameOf` did not return a string.',
    'Return a file name without a folder or an extension.',
  )
}

function defaultName({ taskId, index, count }: { taskId: string; index: number; count: number }): string {
  const plain = taskId.replaceAll(/[^\w.-]/g, '_').replace(/^\.+/, '_')
  return count === 1 ? plain : `${plain}-${index + 1}`
}
