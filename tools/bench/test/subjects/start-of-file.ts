import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'

import type { Upload, UploadTarget } from '../../src/upload/subject.ts'

const MOST_BYTES = 17_000_000

/** Uploads small files whole, and of large ones only the beginning. */
export function connect({ baseUrl }: UploadTarget): Upload {
  return async (file) => {
    const bytes = (await readFile(file)).subarray(0, MOST_BYTES)
    const form = new FormData()
    form.append('file', new File([bytes], basename(file)))
    const response = await fetch(`${baseUrl}/v1/process`, { method: 'POST', body: form })
    return response.json()
  }
}
