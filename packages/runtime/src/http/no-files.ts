import { OptionsError } from '../core/errors.ts'
import type { DownloadTarget } from './download.ts'
import type { UploadSource } from './upload-source.ts'

/** Replaces the file functions where there is no file system. */
export async function openUpload(_path: string): Promise<UploadSource | string> {
  return 'is a path, but there is no file system here: pass a Blob, bytes or a stream'
}

/** @see openUpload */
export async function openTarget(_path: string): Promise<DownloadTarget> {
  throw new OptionsError(
    'path',
    'cannot be written: there is no file system here.',
    'Read the content as text or bytes.',
  )
}

/** @see openUpload */
export const openTargetIn = openTarget
