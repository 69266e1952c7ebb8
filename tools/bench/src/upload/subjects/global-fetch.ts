import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'

import type { Upload, UploadTarget } from '../subject.ts'

/** The fetch that every Node has, with its own forms and a file that is read as it is sent. */
export function connect({ baseUrl, apiKey }: UploadTarget): Upload {
  return async (file) => {
    const form = new FormData()
    form.append('file', await openAsBlob(file, { type: 'application/pdf' }), basename(file))
    const response = await fetch(`${baseUrl}/v1/process`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey },
      body: form,
    })
    if (!response.ok) throw new Error(`the server answered ${response.status}`)
    return response.json()
  }
}
