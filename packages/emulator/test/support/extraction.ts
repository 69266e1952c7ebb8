import { PDFDocument, StandardFonts } from 'pdf-lib'

import {
  createEmulator,
  frozenClock,
  type Emulator,
  type EmulatorOptions,
  type ExtractionOptions,
  type Plan,
} from '../../src/index.ts'
import { requestInit } from './request-init.ts'
import { encodeGrayPng } from '../../src/extraction/document/png.ts'

/** A plan without limits, except for the size of a file. */
export const UNLIMITED: Plan = {
  name: 'test',
  pagesPerMonth: Infinity,
  maxFileMb: 1,
  pagesPerDocument: Infinity,
  requestsPerMinute: Infinity,
}

/** The parts of a submission's form. */
export type Parts = Record<string, string | File>

/** The extraction service with a frozen clock and shortcuts. */
export interface TestService extends AsyncDisposable {
  emulator: Emulator
  control: Emulator['extraction']['control']
  apiKey: string
  /** Calls an operation with a key; `key: ''` sends none. */
  call(path: string, options?: CallOptions): Promise<Response>
  /** Calls an operation and reads its JSON. */
  json<T = Record<string, unknown>>(path: string, options?: CallOptions): Promise<T>
  submit(parts: Parts, options?: CallOptions): Promise<Response>
  /** Submits a document, by default a PDF, and returns the id of its job. */
  start(parts?: Parts): Promise<string>
  job(id: string): Promise<TestJob>
  /** Submits a document, ends the job, and reads it. */
  process(parts: Parts): Promise<TestJob>
}

interface CallOptions {
  method?: string
  key?: string
  body?: RequestInit['body']
  json?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** The parts of a job that the tests read. */
export interface TestJob {
  id: string
  status: string
  error?: string
  created_at?: string
  completed_at?: string
  preview_url?: string
  webhook_url?: string
  webhook_delivered?: boolean
  metadata?: Record<string, unknown>
  result?: {
    text?: string
    text_preview: string
    text_url?: string
    data?: Record<string, { value: unknown; hil_flag: boolean; reason?: string; found_on_page?: number }>
    pages?: {
      page_number: number
      text: string
      hil_flag: boolean
      review_reason: string | null
      data: object
    }[]
  }
}

export async function startExtraction(
  extraction: ExtractionOptions = {},
  options: EmulatorOptions = {},
): Promise<TestService> {
  const emulator = await createEmulator({ clock: frozenClock(), seed: 'tests', ...options, extraction })
  const { apiKey, baseUrl, control } = emulator.extraction

  const call: TestService['call'] = (path, { key = apiKey, headers, ...parts } = {}) =>
    emulator.extraction.fetch(
      path.startsWith('http') ? path : baseUrl + path,
      requestInit({ ...parts, headers: { ...(key === '' ? {} : { 'x-api-key': key }), ...headers } }),
    )
  const submit: TestService['submit'] = (parts, more) =>
    call('/v1/process', { method: 'POST', body: toForm(parts), ...more })
  const json = async <T>(path: string, more?: CallOptions) => (await call(path, more)).json() as Promise<T>
  const start: TestService['start'] = async (parts) => {
    const response = await submit(parts ?? { file: await pdfFile(['Hello']) })
    return ((await response.json()) as { id: string }).id
  }
  const job: TestService['job'] = (id) => json(`/v1/jobs/${id}`)

  return {
    emulator,
    control,
    apiKey,
    call,
    json,
    submit,
    start,
    job,
    async process(parts) {
      const id = await start(parts)
      await control.clock.advance(4_000)
      return job(id)
    },
    [Symbol.asyncDispose]: () => emulator.close(),
  }
}

export function toForm(parts: Parts): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(parts)) form.set(name, value)
  return form
}

/** Creates a PDF whose pages have these lines. The cells of a line form columns. */
export async function makePdf(...pages: (string | string[])[][]): Promise<Uint8Array<ArrayBuffer>> {
  const document = await PDFDocument.create()
  const font = await document.embedFont(StandardFonts.Helvetica)
  for (const lines of pages) {
    const page = document.addPage([595, 842])
    for (const [row, line] of lines.entries())
      for (const [column, text] of [line].flat().entries())
        page.drawText(text, { x: 50 + column * 130, y: 790 - row * 16, size: 11, font })
  }
  return new Uint8Array(await document.save())
}

export async function pdfFile(...pages: (string | string[])[][]): Promise<File> {
  return new File([await makePdf(...pages)], 'document.pdf', { type: 'application/pdf' })
}

/** Creates a small gray PNG. */
export function pngFile(name = 'picture.png', width = 40, height = 30): File {
  return new File([encodeGrayPng(width, height, new Uint8Array(width * height))], name, { type: 'image/png' })
}

/** Returns fields as the string of a JSON Schema. */
export function schemaText(properties: Record<string, unknown>, required: string[] = []): string {
  return JSON.stringify({ type: 'object', properties, required })
}
