import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'

import { loadStock } from '../../stock/stock-module.ts'
import type { Upload, UploadTarget } from '../subject.ts'

/**
 * The client that the generator makes by itself. Its schema for the form takes a file for a text and refuses every
 * upload, so its validation of requests has to be off here.
 */
export async function connect({ baseUrl, apiKey, stockModule }: UploadTarget): Promise<Upload> {
  const { createClient, processDocument } = await loadStock(stockModule)
  const client = createClient({ baseUrl, auth: apiKey })
  return async (file) => {
    const blob = await openAsBlob(file, { type: 'application/pdf' })
    const body = { file: new File([blob], basename(file), { type: blob.type }) }
    return (await processDocument({ client, body, requestValidator: undefined, throwOnError: true })).data
  }
}
