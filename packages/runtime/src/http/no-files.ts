import { OptionsError } from '../core/errors.ts'
import type { DownloadTarget } from './download.ts'
import type { UploadSource } from './upload-source.ts'

/** Used instead of `openUpload` in `node/files.ts` if the JavaScript environment has no file system. */
export async function openUpload(_path: string): Promise<UploadSource | string> {
  return 'is a path, but this JavaScript environment has no file system: pass a Blob, bytes or a stream'
}

/** @see openUpload */
export async function openTarget(_path: string): Promise<DownloadTarget> {
  throw new OptionsError(
    'path',
    'cannot be written: this JavaScript environment has no file system.',
    'Read the content with readText, readBlob or readStream.',
  )
}

/** @see openUpload */
export const openTargetIn = openTarget
