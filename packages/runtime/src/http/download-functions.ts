import { OptionsError, UnexpectedContentError } from '../core/errors.ts'
import { load } from '../core/load.ts'
import { checkOptionNames, type OptionNames } from '../core/option-checks.ts'
import { coreOf } from './client-state.ts'
import type { Client } from './client.ts'
import type { ClientCore } from './client-state.ts'
import type { Downloaded, DownloadOptions } from './download-options.ts'
import type { DownloadTarget } from './download-target.ts'
import type { NameBy } from './download.ts'
import type { ReadTextOptions } from './memory-target.ts'
import type { StreamedDownload } from './stream-target.ts'

const READ_OPTIONS: OptionNames<ReadTextOptions> = {
  signal: true,
  timeoutMs: true,
  deadline: true,
  maxBytes: true,
  onProgress: true,
}
const OPTIONS: OptionNames<DownloadOptions> = { ...READ_OPTIONS, sha256: true }

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
 * Downloads into a folder, which is made where there is none, under a name that can depend on the media type that
 * comes with the content; Node only. Otherwise as {@link download}.
 *
 * @param nameBy Gives the name of the file, without any folder.
 * @public
 */
export async function downloadInto(
  client: Client,
  url: string,
  folder: string,
  nameBy: NameBy,
  options: DownloadOptions = {},
): Promise<Downloaded> {
  const core = coreOf(client, 'downloadInto')
  checkOptionNames(options, OPTIONS, 'options')
  if (typeof folder !== 'string' || folder === '') {
    throw new OptionsError(
      'folder',
      '`folder` must name a folder.',
      'Pass the path of the folder to write into.',
    )
  }
  const { openTargetIn } = await load(import('#files'), options)
  const target = await openTargetIn(folder)
  const plainName: NameBy = (contentType) => {
    const name = nameBy(contentType)
    if (name !== '' && name !== '.' && name !== '..' && !/[/\\]/.test(name)) return name
    throw new OptionsError('name', '`name` is not a plain file name.', 'Pass a name without any folder.')
  }
  try {
    return await run(core, url, target, options, plainName)
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
  const { MemoryTarget } = await load(import('./memory-target.ts'), options)
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
  const { MemoryTarget } = await load(import('./memory-target.ts'), options)
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
  const { StreamTarget } = await load(import('./stream-target.ts'), options)
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
  options: DownloadOptions,
  nameBy?: NameBy,
): Promise<Downloaded> {
  const { Download } = await load(import('./download.ts'), options)
  return new Download(core, url, target, options, nameBy).run()
}
