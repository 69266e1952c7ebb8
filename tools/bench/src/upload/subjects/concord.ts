import { Extraction } from '@concord/extraction'

import type { Upload, UploadTarget } from '../subject.ts'

/** Ours: the path of the file is enough. */
export function connect({ baseUrl, apiKey }: UploadTarget): Upload {
  const { api } = new Extraction({ baseUrl, apiKey })
  return (file) => api.processDocument({ body: { file } })
}
