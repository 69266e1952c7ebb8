import { OptionsError } from '@concord/runtime'
import type { PreviewDocument, PreviewPage } from '@concord/extraction-validators'

import { checkTextOptions, type TextOptions } from './jobs.ts'

/** Options of {@link Preview.image}. `maxBytes` is the largest image to accept. @public */
export type ImageOptions = Omit<TextOptions, 'withKey'>

/** The public preview of a job, with a method to fetch its page images. @public */
export interface Preview extends PreviewDocument {
  /**
   * Fetches the image of a page from its `image_url`, without any credential.
   *
   * @param page - The page, or its `page_number`.
   * @throws OptionsError if the page doesn't exist, or has no image.
   * @throws DownloadError if the link has expired or the image is larger than `maxBytes`.
   */
  image(page: number | PreviewPage, options?: ImageOptions): Promise<Blob>
}

type FetchBlob = (url: string, options: ImageOptions) => Promise<Blob>

export function toPreview(document: PreviewDocument, fetchBlob: FetchBlob): Preview {
  const image = async (page: number | PreviewPage, options: ImageOptions = {}): Promise<Blob> => {
    checkTextOptions(options)
    const found = typeof page === 'number' ? document.pages?.find((each) => each.page_number === page) : page
    if (found === undefined) {
      const numbers = (document.pages ?? []).map((each) => each.page_number)
      throw new OptionsError(
        'page',
        `The preview has no page ${String(page)}.`,
        numbers.length === 0 ? 'The preview is empty.' : `Its pages are ${numbers.join(', ')}.`,
      )
    }
    if (typeof found.image_url !== 'string') {
      throw new OptionsError(
        'page',
        'The page has no image.',
        'To get page images, submit the document with `include_images: true`.',
      )
    }
    return fetchBlob(found.image_url, options)
  }
  return Object.defineProperty({ ...document }, 'image', { value: image }) as unknown as Preview
}
