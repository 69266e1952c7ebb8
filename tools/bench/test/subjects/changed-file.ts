import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'

import type { Upload, UploadTarget } from '../../src/upload/subject.ts'

/** Uploads as many bytes as the file has, one of them another. */
export function connect({ baseUrl }: UploadTarget): Upload {
  return async (file) => {
    const bytes = await readFile(file)
    bytes[1] = (bytes[1] ?? 0) ^ 1
    const form = new FormData()
    form.append('file', new File([bytes], basename(file)))
    const response = await fetch(`${baseUrl}/v1/process`, { method: 'POST', body: form })
    return response.json()
  }
}
