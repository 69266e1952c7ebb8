import { OptionsError } from '../core/errors.ts'
import type { DownloadTarget } from './download.ts'
import type { UploadSource } from './upload-source.ts'

/** Replaces the file functions on hosts without files. */
export async function openUpload(_path: string): Promise<UploadSource | string> {
  return 'is a path, but this host has no file system: pass a Blob, bytes or a stream'
}

/** @see openUpload */
export async function openTarget(_path: string): Promise<DownloadTarget> {
  throw new OptionsError(
    'path',
    'cannot be written: this host has no file system.',
    'Read the content as text or bytes.',
  )
}

/** @see openUpload */
export const openTargetIn = openTarget
