import {
  checkOptionNames,
  ContractDriftError,
  downloadInto,
  functionOption,
  OptionsError,
  parseDuration,
  requiredText,
  type Client,
  type Downloaded,
  type DownloadOptions,
} from '@concord/runtime'
import type { Task } from '@concord/media-validators'

import { extensionFor } from './media-types.ts'

/** A task that has succeeded: what `getTask` returned, and how to keep what was generated. @public */
export interface SucceededTask extends Omit<Task, 'status' | 'output'> {
  readonly status: 'SUCCEEDED'
  /** Signed addresses. They expire within 24 to 48 hours, so keep the content and not the addresses. */
  readonly output: readonly string[]
  /**
   * Downloads everything that was generated into a folder, which is made where there is none; Node only. The files are
   * named by the task, and their extensions by the media type that comes with them. No header of the service is sent, no
   * secret above all. An interrupted download is resumed. A `deadline` is for all outputs together.
   *
   * @throws DownloadError; with `failure` `expired` when a link has expired. Whether the service gives a new one is not
   * documented.
   */
  download(folder: string, options?: TaskDownloadOptions): Promise<readonly DownloadedOutput[]>
}

/** How the output of a task is downloaded. @public */
export interface TaskDownloadOptions extends Omit<DownloadOptions, 'onProgress' | 'sha256'> {
  /** Told how much of which output has come. */
  readonly onProgress?: (progress: OutputProgress) => void
  /** The name of a file without its extension; another for each output. Default: the id of the task, with a number where there are several. */
  readonly nameOf?: (output: {
    readonly taskId: string
    readonly index: number
    readonly count: number
  }) => string
}

/** How far the download of an output has come. @public */
export interface OutputProgress {
  /** Which output, from 0. */
  readonly index: number
  readonly count: number
  readonly bytesReceived: number
  /** Where the server said it. */
  readonly totalBytes?: number
}

/** An output that was downloaded. @public */
export interface DownloadedOutput extends Downloaded {
  readonly url: string
}

/**
 * Makes a {@link SucceededTask} of a task whose status is `SUCCEEDED`.
 *
 * @throws ContractDriftError when it has no list of addresses, which the flow cannot do without.
 */
export function toSucceeded(task: Task, client: Client): SucceededTask {
  const output: unknown = task.output
  if (!Array.isArray(output) || !output.every((url) => typeof url === 'string')) {
    throw new ContractDriftError(
      `getTask: the task ${task.id} has succeeded, but its output is not a list of addresses.`,
      [{ path: '/output', reason: 'must be a list of texts' }],
      task,
      { operation: 'getTask' },
    )
  }
  const urls: readonly string[] = output
  // Not enumerable: a task prints and serialises as what the service sent.
  return Object.defineProperty({ ...task }, 'download', {
    value: (folder: string, options?: TaskDownloadOptions) =>
      downloadAll(client, task.id, urls, folder, options),
  }) as unknown as SucceededTask
}

const DOWNLOAD_OPTIONS = [
  'signal',
  'timeoutMs',
  'deadline',
  'maxBytes',
  'onProgress',
  'nameOf',
] as const satisfies readonly (keyof TaskDownloadOptions)[]

/** @throws OptionsError when a download cannot be done like this, however the task ends. */
export function checkDownload(folder: string, options: TaskDownloadOptions): void {
  requiredText(folder, 'folder', 'Give the path of the folder to write into.')
  checkOptionNames(options, DOWNLOAD_OPTIONS, 'options')
  functionOption(options.onProgress, 'onProgress')
  functionOption(options.nameOf, 'nameOf')
  if (options.deadline !== undefined) parseDuration(options.deadline)
}

async function downloadAll(
  client: Client,
  taskId: string,
  urls: readonly string[],
  folder: string,
  allOptions: TaskDownloadOptions = {},
): Promise<readonly DownloadedOutput[]> {
  checkDownload(folder, allOptions)
  const { onProgress, nameOf = defaultName, ...options } = allOptions
  const count = urls.length
  const names = urls.map((_, index) => plainName(nameOf({ taskId, index, count })))
  if (new Set(names).size < count) {
    throw new OptionsError(
      'nameOf',
      'gave one name for several outputs, so that they would replace each other.',
      'Make the name depend on the index.',
    )
  }
  const done: DownloadedOutput[] = []
  const endsAtMs =
    options.deadline === undefined ? undefined : client.clock.monotonic() + parseDuration(options.deadline)
  for (const [index, url] of urls.entries()) {
    const name = names[index]
    const downloaded = await downloadInto(
      client,
      url,
      folder,
      (contentType) => `${name}.${extensionFor(contentType, url)}`,
      {
        ...options,
        ...(endsAtMs !== undefined && { deadline: Math.max(1, endsAtMs - client.clock.monotonic()) }),
        ...(onProgress && { onProgress: (progress) => onProgress({ index, count, ...progress }) }),
      },
    )
    done.push({ ...downloaded, url })
  }
  return done
}

/** A name that stays in the folder. */
function plainName(name: unknown): string {
  if (typeof name === 'string' && name !== '' && !/[/\\\0]/.test(name)) return name
  throw new OptionsError(
    'nameOf',
    typeof name === 'string' ? 'gave a name that is empty or has a folder in it.' : 'gave no text.',
    'Return the name of a file, without its folder and its extension.',
  )
}

function defaultName({ taskId, index, count }: { taskId: string; index: number; count: number }): string {
  const plain = taskId.replaceAll(/[^\w.-]/g, '_').replace(/^\.+/, '_')
  return count === 1 ? plain : `${plain}-${index + 1}`
}
