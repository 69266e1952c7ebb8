import { PDFDocument, StandardFonts } from 'pdf-lib'

import {
  createEmulator,
  frozenClock,
  type EmulatorOptions,
  type ExtractionOptions,
  type Plan,
} from '../../src/index.ts'
import { requestInit, type RequestParts } from './request-init.ts'
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

interface CallOptions extends RequestParts {
  key?: string
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

/** Starts the extraction service with a frozen clock, and returns shortcuts. */
export async function startExtraction(extraction: ExtractionOptions = {}, options: EmulatorOptions = {}) {
  const emulator = await createEmulator({ clock: frozenClock(), seed: 'tests', ...options, extraction })
  const { apiKey, baseUrl, control } = emulator.extraction

  /** Calls an operation with a key; `key: ''` sends none. */
  const call = (path: string, { key = apiKey, headers, ...parts }: CallOptions = {}) =>
    emulator.extraction.fetch(
      path.startsWith('http') ? path : baseUrl + path,
      requestInit({ ...parts, headers: { ...(key === '' ? {} : { 'x-api-key': key }), ...headers } }),
    )
  const submit = (parts: Parts, more?: CallOptions) =>
    call('/v1/process', { method: 'POST', body: toForm(parts), ...more })
  /** Calls an operation and reads its JSON. */
  const json = async <T = Record<string, unknown>>(path: string, more?: CallOptions) =>
    (await call(path, more)).json() as Promise<T>
  /** Submits a document, by default a PDF, and returns the id of its job. */
  const start = async (parts?: Parts) => {
    const response = await submit(parts ?? { file: await pdfFile(['Hello']) })
    return ((await response.json()) as { id: string }).id
  }
  const job = (id: string) => json<TestJob>(`/v1/jobs/${id}`)

  return {
    emulator,
    control,
    apiKey,
    call,
    json,
    submit,
    start,
    job,
    /** Submits a document, ends the job, and reads it. */
    async process(parts: Parts) {
      const id = await start(parts)
      await control.clock.advance(4_000)
      return job(id)
    },
    [Symbol.asyncDispose]: () => emulator.close(),
  }
}

export type TestService = Awaited<ReturnType<typeof startExtraction>>

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
