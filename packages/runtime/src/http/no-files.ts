import { OptionsError } from '../core/errors.ts'
import type { DownloadTarget } from './download.ts'
import type { UploadSource } from './upload-source.ts'

/** Stands in for the file functions where there are no files. */
export async function openUpload(_path: string): Promise<UploadSource | string> {
  return 'is a path, and there are no files here: give a Blob, bytes or a stream'
}

/** @see openUpload */
export async function openTarget(_path: string): Promise<DownloadTarget> {
  throw new OptionsError(
    'path',
    '`path` cannot be written: this host has no file system.',
    'Read the answer as text or bytes.',
  )
}

/** @see openUpload */
export const openTargetIn = openTarget
