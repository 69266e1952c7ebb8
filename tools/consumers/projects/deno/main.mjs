// Everything that a program gets is on its command line, so that it needs no access to the environment or to files.
import { ApiError, Extraction } from '@concord/extraction'
import { Media } from '@concord/media'
import { Speech } from '@concord/speech'
import { StorageAuth } from '@concord/storage-auth'

import { extract, listen, organization, signIn } from '../shared/flow.mjs'

const services = JSON.parse(process.argv[2])
const bytes = Uint8Array.from(atob(process.argv[3]), (letter) => letter.charCodeAt(0))
await extract({ Extraction, ApiError }, services.extraction, { content: bytes, filename: 'receipt.png' })
await organization({ Media }, services.media)
await signIn({ StorageAuth }, services.storageAuth)
await listen({ Speech }, services.speech)
console.log('all good')
