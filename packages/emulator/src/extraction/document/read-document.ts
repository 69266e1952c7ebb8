import { imageSize } from 'image-size'

import type { DocumentType, ReadPage } from '../model.ts'
import { openPdf, UnreadableDocumentError } from './pdf.ts'
import { readPngTexts, type PngText } from './png.ts'

/** A picture whose text is to be recognized. @public */
export interface PictureToRead {
  readonly type: 'image/png' | 'image/jpeg'
  readonly bytes: Uint8Array
  /** In pixels, like `height`. */
  readonly width: number
  readonly height: number
  /** The text chunks of a PNG. Empty for other picture types. */
  readonly texts: readonly PngText[]
}

/** The result of text recognition on a picture. @public */
export interface RecognizedText {
  text: string
  /** Why a person should review the text, if there is a reason. */
  reviewReason?: string
}

interface ReadingChoices {
  readonly results: { firstPageNumber: number }
  recognizeImage(picture: PictureToRead): RecognizedText | Promise<RecognizedText>
}

/** Returns undefined for an unreadable PDF. */
export async function countPages(type: DocumentType, bytes: Uint8Array): Promise<number | undefined> {
  if (type !== 'application/pdf') return 1
  try {
    const pdf = await openPdf(bytes)
    await pdf.close()
    return pdf.pageCount
  } catch (error) {
    if (error instanceof UnreadableDocumentError) return undefined
    throw error
  }
}

/** @throws UnreadableDocumentError if the document can't be read. */
export async function readDocument(
  type: DocumentType,
  bytes: Uint8Array,
  choices: ReadingChoices,
): Promise<ReadPage[]> {
  if (type !== 'application/pdf') return [await readPicture(type, bytes, choices)]
  const pdf = await openPdf(bytes)
  try {
    const pages: ReadPage[] = []
    for (let number = 1; number <= pdf.pageCount; number++)
      pages.push({ ...(await pdf.readPage(number)), number: number - 1 + choices.results.firstPageNumber })
    return pages
  } finally {
    await pdf.close()
  }
}

async function readPicture(
  type: 'image/png' | 'image/jpeg',
  bytes: Uint8Array,
  choices: ReadingChoices,
): Promise<ReadPage> {
  const { width, height } = measure(bytes)
  const texts = type === 'image/png' ? readPngTexts(bytes) : []
  const { text, reviewReason } = await choices.recognizeImage({ type, bytes, width, height, texts })
  const page: ReadPage = { number: choices.results.firstPageNumber, text, width, height, boxes: [] }
  if (reviewReason !== undefined) page.reviewReason = reviewReason
  return page
}

function measure(bytes: Uint8Array): { width: number; height: number } {
  try {
    const { width, height } = imageSize(bytes)
    if (width > 0 && height > 0) return { width, height }
  } catch (error) {
    throw new UnreadableDocumentError('The picture cannot be read.', { cause: error })
  }
  throw new UnreadableDocumentError('The picture has a width or height of 0.')
}
