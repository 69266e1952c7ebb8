import { ApiError, Extraction } from '@concord/extraction'

import { extract } from '../../../flow.mjs'

export const runtime = 'edge'

/** A route on the edge runtime. */
export async function POST(request) {
  const file = (await request.formData()).get('file')
  await extract({ Extraction, ApiError }, JSON.parse(process.env.CONCORD_SERVED).extraction, file)
  return new Response('all good')
}
