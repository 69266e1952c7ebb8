import { ApiError, Extraction } from '@concord/extraction'

import { extract } from '../../../flow.mjs'

/** A route on Node: the file of a form goes on to the service. */
export async function POST(request) {
  const file = (await request.formData()).get('file')
  await extract({ Extraction, ApiError }, JSON.parse(process.env.CONCORD_SERVED).extraction, file)
  return new Response('all good')
}
