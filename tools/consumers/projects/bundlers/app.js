// An application that a bundler puts into one file.
import { ApiError, Extraction } from '@concord/extraction'
import { Media } from '@concord/media'
import { Speech } from '@concord/speech'
import { StorageAuth } from '@concord/storage-auth'

import { extract, listen, organization, served, signIn } from '../shared/flow.mjs'

async function main() {
  const services = served()
  await extract({ Extraction, ApiError }, services.extraction, process.env.CONCORD_FILE)
  await organization({ Media }, services.media)
  await signIn({ StorageAuth }, services.storageAuth)
  await listen({ Speech }, services.speech)
  console.log('all good')
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
