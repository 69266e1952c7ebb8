import { createHash, randomBytes } from 'node:crypto'
import { closeSync, createReadStream, mkdtempSync, openAsBlob, openSync, rmSync, writeSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'

import { submission } from '../contract.ts'
import { interleave } from '../measure.ts'
import { type CostWithMemory, costWithMemoryOf, serveSubject, startSubject } from '../processes.ts'
import { type Figure, toFigure } from '../report.ts'
import {
  checkResult,
  type Extent,
  ownSubjects,
  type Row,
  type RowContext,
  type Subjects,
  WrongResultError,
} from '../row.ts'
import { API_KEY, type ReceivedUpload, startServer } from '../servers.ts'
import { loadStock, stockClient } from '../stock-client.ts'

const MIB = 2 ** 20
/** A form adds fewer bytes than this to its file. */
const FORM_BYTES = 1000
const PIECE_BYTES = 262_144
const BOUNDARY = 'bench-7d4c1f0e9f6b4c56'

export interface UploadTarget {
  readonly baseUrl: string
  readonly apiKey: string
  readonly stockModule: string
}

export type Upload = (file: string) => Promise<unknown>

/** Each subject connects to the server, and returns the function that is measured. */
export const subjects: Readonly<Record<string, (target: UploadTarget) => Upload | Promise<Upload>>> = {
  /** The base of all ratios: a hand-written form around the file, streamed with a `content-length`. */
  'raw undici': async ({ baseUrl, apiKey }) => {
    const { Pool } = await import('undici')
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
      if (statusCode !== 200) throw new Error(`the server responded with ${statusCode}`)
      return body.json()
    }
  },

  'global fetch':
    ({ baseUrl, apiKey }) =>
    async (file) => {
      const form = new FormData()
      form.append('file', await openAsBlob(file, { type: 'application/pdf' }), basename(file))
      const response = await fetch(`${baseUrl}/v1/process`, {
        method: 'POST',
        headers: { 'x-api-key': apiKey },
        body: form,
      })
      if (!response.ok) throw new Error(`the server responded with ${response.status}`)
      return response.json()
    },

  /**
   * The stock client's schema for the form expects a string in place of the file. Its request validation is off,
   * because it would reject every upload.
   */
  'stock client': async ({ baseUrl, apiKey, stockModule }) => {
    const { createClient, processDocument } = await loadStock(stockModule)
    const client = createClient({ baseUrl, auth: apiKey })
    return async (file) => {
      const blob = await openAsBlob(file, { type: 'application/pdf' })
      const body = { file: new File([blob], basename(file), { type: blob.type }) }
      return (await processDocument({ client, body, requestValidator: undefined, throwOnError: true })).data
    }
  },

  concord: async ({ baseUrl, apiKey }) => {
    const { Extraction } = await import('@concord/extraction')
    const { api } = new Extraction({ baseUrl, apiKey })
    return (file) => api.processDocument({ body: { file } })
  },
}

interface Plan {
  readonly rounds: number
  readonly limitMs: number
  readonly sizeBytes: number
}

const PLANS: Readonly<Record<Extent, Plan>> = {
  full: { rounds: 9, limitMs: 45_000, sizeBytes: 400_000_000 },
  quick: { rounds: 1, limitMs: 0, sizeBytes: 400_000_000 },
  smoke: { rounds: 1, limitMs: 0, sizeBytes: 20_000_000 },
}

export const upload: Row = {
  name: 'upload',
  title: 'a large file as multipart/form-data, from a path',
  run: (context) =>
    measureUploads(ownSubjects(import.meta.filename, subjects), PLANS[context.extent], context),
}

/** @throws WrongResultError if a subject returns a wrong result, or if its file arrives incomplete or changed. */
export async function measureUploads(
  all: Subjects,
  plan: Plan,
  context: RowContext,
): Promise<readonly Figure[]> {
  const { sizeBytes } = plan
  const { module: stockModule } = await stockClient()
  using files = makeUploadFiles(sizeBytes)
  await using server = startServer('uploads', context)
  const port = await server.ask<number>('port')
  const target = { baseUrl: `http://127.0.0.1:${port}`, apiKey: API_KEY, stockModule }

  const measureOnce = async (file: string, name: string): Promise<CostWithMemory> => {
    const options = { context, nodeOptions: ['--expose-gc'] }
    await using worker = startSubject(import.meta.filename, [name, file], target, options)
    checkResult(name, await worker.ask('upload', files.small.path), submission())
    checkReceived(name, files.small, await server.ask<ReceivedUpload>('last'))
    const measured = await worker.ask<CostWithMemory>('measure', files.large.path)
    checkReceived(name, files.large, await server.ask<ReceivedUpload>('last'))
    return measured
  }
  const results = await interleave(all, measureOnce, { ...plan, ...context, what: 'upload' })
  return toFigures(results, sizeBytes)
}

function toFigures(results: ReadonlyMap<string, readonly CostWithMemory[]>, sizeBytes: number): Figure[] {
  const size = `${sizeBytes / 1e6} MB`
  return [
    toFigure({
      title: `${size}: time`,
      meaning: 'of one upload, and relative to raw undici; less is better',
      unit: 'ms',
      results,
      value: ({ elapsedMs }) => elapsedMs,
      compare: 'cost',
      targets: [{ direction: 'at most', limit: 1.15, of: 'compared' }],
      notes: ['the stock client runs without request validation, which would reject the file'],
    }),
    toFigure({
      title: `${size}: processor time`,
      meaning: 'of the whole client process, and relative to raw undici; less is better',
      unit: 'ms',
      results,
      value: ({ cpuMs }) => cpuMs,
      compare: 'cost',
    }),
    toFigure({
      title: `${size}: extra peak memory`,
      meaning: 'the rise during the upload, and the difference from raw undici in MiB; less is better',
      unit: 'MiB',
      results,
      value: ({ extraPeakBytes }) => extraPeakBytes / MIB,
      compare: 'difference',
      targets: [
        { direction: 'at most', limit: 8, of: 'compared' },
        { direction: 'at most', limit: 70, of: 'value' },
      ],
    }),
  ]
}

function checkReceived(
  subject: string,
  { path, sizeBytes, sha256 }: UploadFile,
  received: ReceivedUpload,
): void {
  const { bodyBytes, file } = received
  const whole =
    received.path === '/v1/process' &&
    bodyBytes > sizeBytes &&
    bodyBytes < sizeBytes + FORM_BYTES &&
    (file === undefined || (file.sha256 === sha256 && path.endsWith(`/${file.name}`)))
  if (!whole)
    throw new WrongResultError(`${subject} did not upload all of ${path}: ${JSON.stringify(received)}`)
}

interface UploadFiles extends Disposable {
  /** Uploaded before each measurement, to check that it arrives unchanged. */
  readonly small: UploadFile
  /** Uploaded in each measurement. */
  readonly large: UploadFile
}

interface UploadFile {
  readonly path: string
  readonly sizeBytes: number
  readonly sha256: string
}

const SMALL_BYTES = 3_000_001

function makeUploadFiles(largeBytes: number): UploadFiles {
  const folder = mkdtempSync(join(tmpdir(), 'concord-bench-'))
  return {
    small: makeFile(join(folder, 'small.pdf'), SMALL_BYTES),
    large: makeFile(join(folder, 'large.pdf'), largeBytes),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/**
 * Writes every byte. A sparse file would make the measured memory too low, because the system reads the file's holes
 * without using memory.
 */
function makeFile(path: string, sizeBytes: number): UploadFile {
  const block = randomBytes(Math.min(sizeBytes, 4_000_000))
  const hash = createHash('sha256')
  const file = openSync(path, 'w')
  for (let left = sizeBytes; left > 0; left -= block.length) {
    const piece = block.subarray(0, left)
    hash.update(piece)
    writeSync(file, piece)
  }
  closeSync(file)
  return { path, sizeBytes, sha256: hash.digest('hex') }
}

if (import.meta.main)
  void serveSubject<Upload>((upload) => ({
    upload,
    measure: (file: string) => costWithMemoryOf(() => upload(file)),
  }))
