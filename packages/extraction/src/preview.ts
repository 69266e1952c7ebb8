import { OptionsError } from '@concord/runtime'
import type { PreviewDocument, PreviewPage } from '@concord/extraction-validators'

import { checkTextOptions, type TextOptions } from './jobs.ts'

/** The public preview of a job, with its page images at hand. @public */
export interface Preview extends PreviewDocument {
  /**
   * Fetches the image of a page from its `image_url`, without any credential.
   *
   * @param page - The page, or its `page_number`.
   * @throws OptionsError when there is no such page, or it has no image.
   * @throws DownloadError when the link has expired or the image is larger than `maxBytes`.
   */
  image(page: number | PreviewPage, options?: TextOptions): Promise<Blob>
}

/** Fetches bytes from an address, without any credential. */
export type FetchBlob = (url: string, options: TextOptions) => Promise<Blob>

/** Adds {@link Preview.image} to a preview. */
export function toPreview(document: PreviewDocument, fetchBlob: FetchBlob): Preview {
  const image = async (page: number | PreviewPage, options: TextOptions = {}): Promise<Blob> => {
    checkTextOptions(options)
    const found = typeof page === 'number' ? document.pages?.find((each) => each.page_number === page) : page
    if (found === undefined) {
      throw new OptionsError(
        'page',
        `is ${String(page)}, which the preview does not have.`,
        `It has ${document.pages?.length ?? 0} pages.`,
      )
    }
    if (typeof found.image_url !== 'string') {
      throw new OptionsError('page', 'has no image.', 'Submit with include_images: true to have page images.')
    }
    return fetchBlob(found.image_url, options)
  }
  return Object.defineProperty({ ...document }, 'image', { value: image }) as unknown as Preview
}
