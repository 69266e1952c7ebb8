import { openRecordFile } from '@concord/runtime/node'
import type { Clock } from '@concord/runtime'
import { checkOptionNames, type OptionNames, type RandomSource } from '@concord/runtime/internal'

import { JOURNAL_VERSION, type BatchJournal } from './batch/journal.ts'

/** Options of {@link fileJournal}. @public */
export interface FileJournalOptions {
  /** How long to wait while another process has the journal open, in milliseconds. Default: 60,000. */
  readonly lockWaitMs?: number
  readonly clock?: Clock
  readonly random?: RandomSource
}

const NAMES: OptionNames<FileJournalOptions> = { lockWaitMs: true, clock: true, random: true }

/**
 * Keeps the journal of a batch in a file, so that the batch can be resumed after its process ends.
 *
 * ```ts
 * import { Media } from '@concord/media'
 * import { fileJournal } from '@concord/media/node'
 *
 * const media = Media.fromEnv()
 * const report = await media.resumeBatch(fileJournal('boats.journal'), { store: { folder: 'boats' } })
 * ```
 *
 * Each batch needs its own file. The file contains the requests, with their prompts, but not the client's secret.
 * Only the owner of the file can read the file. Delete the file when you no longer need it.
 *
 * Each record is on disk before the batch acts on it. The folder `<path>.lock` keeps other processes out. If a
 * process was killed, the next process takes over its lock. A damaged file, a file of another kind, or a file from a
 * newer version of this package is rejected and left unchanged.
 *
 * @param path - The path of the file; it is created if it doesn't exist.
 * @throws OptionsError if an option is unknown. `batch` and `resumeBatch` throw if the path isn't a string or the
 * file can't be used.
 * @public
 */
export function fileJournal(path: string, options: FileJournalOptions = {}): BatchJournal {
  checkOptionNames(options, NAMES, 'options')
  const settings = { kind: 'concord.media.batch', version: JOURNAL_VERSION, option: 'journal', ...options }
  return {
    open: ({ signal }) => openRecordFile(path, { ...settings, signal }),
  }
}
