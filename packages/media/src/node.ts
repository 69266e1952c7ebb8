import { openRecordFile } from '@concord/runtime/node'
import type { Clock } from '@concord/runtime'
import { checkOptionNames, type OptionNames, type RandomSource } from '@concord/runtime/internal'

import { JOURNAL_VERSION, type BatchJournal } from './batch/journal.ts'

/** Options of {@link fileJournal}. @public */
export interface FileJournalOptions {
  /** How long to wait for another process that has the journal open, in milliseconds. Default 60,000. */
  readonly lockWaitMs?: number
  readonly clock?: Clock
  readonly random?: RandomSource
}

const NAMES: OptionNames<FileJournalOptions> = { lockWaitMs: true, clock: true, random: true }

/**
 * Keeps the journal of a batch in a file, so that the batch survives its process.
 *
 * ```ts
 * import { Media } from '@concord/media'
 * import { fileJournal } from '@concord/media/node'
 *
 * const media = Media.fromEnv()
 * const report = await media.resumeBatch(fileJournal('boats.journal'), { store: { folder: 'boats' } })
 * ```
 *
 * The file is append-only, readable by this user alone, and each record is on disk before the batch acts on it. It
 * contains the requests, with their prompts, and no secret of the client. A folder beside it, `<path>.lock`, keeps other
 * processes out; the lock of a killed process is taken over. A file of another kind, of a newer version or with damage is
 * rejected and not changed. One file is for one batch: delete it when you no longer need it.
 *
 * @param path - The path of the file; it is created if it doesn't exist.
 * @throws OptionsError if the path isn't a string. Problems with the file itself are thrown by `batch` and `resumeBatch`.
 * @public
 */
export function fileJournal(path: string, options: FileJournalOptions = {}): BatchJournal {
  checkOptionNames(options, NAMES, 'options')
  const settings = { kind: 'concord.media.batch', version: JOURNAL_VERSION, option: 'journal', ...options }
  return {
    open: ({ signal }) => openRecordFile(path, { ...settings, signal }),
  }
}
