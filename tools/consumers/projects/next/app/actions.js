'use server'
import { Media } from '@concord/media'

import { organization } from '../flow.mjs'

/** A server action. */
export async function readOrganization() {
  await organization({ Media }, JSON.parse(process.env.CONCORD_SERVED).media)
  return 'all good'
}
