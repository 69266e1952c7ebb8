import { OptionsError } from '../core/errors.ts'
import type { DownloadTarget } from './download.ts'
import type { UploadSource } from './upload-source.ts'

/** Replaces the `openUpload` of `node/files.ts` in JavaScript environments that have no file system. */
export async function openUpload(_path: string): Promise<UploadSource | string> {
  return 'is a path, but this JavaScript environment has no file system: pass a Blob, bytes or a stream'
}

/** @see openUpload */
export async function openTarget(_path: string): Promise<DownloadTarget> {
  throw noFileSystem('path')
}

/** @see openUpload */
export async function openTargetIn(_folder: string): Promise<DownloadTarget> {
  throw noFileSystem('folder')
}

function noFileSystem(option: 'path' | 'folder'): OptionsError {
  return new OptionsError(
    option,
    "can't be used: this JavaScript environment has no file system to save the download to.",
    'Use `readText`, `readBlob` or `readStream` instead.',
  )
}
