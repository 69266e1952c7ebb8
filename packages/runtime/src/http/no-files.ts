import type { UploadSource } from './upload-source.ts'

/** Stands in for the file functions where there are no files. */
export async function openUpload(_path: string): Promise<UploadSource | string> {
  return 'is a path, and there are no files here: give a Blob, bytes or a stream'
}
