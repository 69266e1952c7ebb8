import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'

import { Pool } from 'undici'

import type { Upload, UploadTarget } from '../subject.ts'

const PIECE_BYTES = 262_144
const BOUNDARY = 'bench-7d4c1f0e9f6b4c56'

/** The base of all ratios: a form written by hand around the file, streamed with its length. */
export function connect({ baseUrl, apiKey }: UploadTarget): Upload {
  const pool = new Pool(baseUrl, { connections: 64, headersTimeout: 0, bodyTimeout: 0 })
  return async (file) => {
    const head = Buffer.from(
      `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="${basename(file)}"\r\n` +
        'content-type: application/pdf\r\n\r\n',
    )
    const tail = Buffer.from(`\r\n--${BOUNDARY}--\r\n`)
    const { size } = await stat(file)
    async function* form() {
      yield head
      yield* createReadStream(file, { highWaterMark: PIECE_BYTES })
      yield tail
    }
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: '/v1/process',
      headers: {
        'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
        'content-length': String(head.length + size + tail.length),
        'x-api-key': apiKey,
      },
      body: Readable.from(form(), { objectMode: false, highWaterMark: PIECE_BYTES }),
    })
    if (statusCode !== 200) throw new Error(`the server answered ${statusCode}`)
    return body.json()
  }
}
