import type { ReadPage, TextBox } from '../model.ts'
import { boxesToText } from './lines.ts'
import { unpacksTooLarge } from './unpacked-size.ts'

const MAX_UNPACKED_BYTES = 256 * 1024 * 1024

export class UnreadableDocumentError extends Error {}

interface OpenPdf {
  pageCount: number
  /** Reads the text layer of a page. Pages are numbered from 1. */
  readPage(number: number): Promise<ReadPage>
  close(): Promise<void>
}

/** @throws UnreadableDocumentError if the bytes aren't a readable PDF. */
export async function openPdf(bytes: Uint8Array): Promise<OpenPdf> {
  if (unpacksTooLarge(bytes, MAX_UNPACKED_BYTES))
    throw new UnreadableDocumentError(
      "The PDF can't be read: its streams unpack to more than 256 MiB. Submit a smaller document.",
    )
  // The library is large, so it is loaded only when it is needed.
  const { definePDFJSModule, getDocumentProxy } = await import('unpdf')
  // unpdf would load the parser itself, but then a failure to load the parser would look like a broken document.
  const parser = await import('unpdf/pdfjs')
  await definePDFJSModule(() => Promise.resolve(parser))
  // The parser takes ownership of the buffer, so it gets a copy.
  const document = await getDocumentProxy(bytes.slice(), { verbosity: 0 }).catch((error: unknown) => {
    throw new UnreadableDocumentError(`The PDF cannot be read: ${messageOf(error)}`, { cause: error })
  })
  return {
    pageCount: document.numPages,
    async readPage(number) {
      try {
        const page = await document.getPage(number)
        const { width, height, transform } = page.getViewport({ scale: 1 })
        const content = await page.getTextContent()
        const boxes = content.items.flatMap((item) => ('str' in item ? toBox(item, transform) : []))
        page.cleanup()
        return { number, width, height, boxes, text: boxesToText(boxes) }
      } catch (error) {
        throw new UnreadableDocumentError(`Page ${number} of the PDF cannot be read: ${messageOf(error)}`, {
          cause: error,
        })
      }
    },
    close: () => document.loadingTask.destroy(),
  }
}

interface TextItem {
  readonly str: string
  readonly width: number
  readonly height: number
  readonly transform: number[]
}

function toBox(item: TextItem, view: number[]): TextBox[] {
  if (item.str.trim() === '') return []
  const [, , , , x = 0, y = 0] = item.transform
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = view
  const height = item.height || Math.hypot(item.transform[2] ?? 0, item.transform[3] ?? 0)
  return [{ text: item.str, x: a * x + c * y + e, y: b * x + d * y + f - height, width: item.width, height }]
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
