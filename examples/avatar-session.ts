// Creates an avatar that knows a document, and opens a real-time session.
import { fileURLToPath } from 'node:url'

import { emulatorSessionAccess, file, Media } from '@concord/media'

import { impatient, service } from './support/service.ts'

await using target = await service('media')
const { baseUrl, apiSecret } = target
await using media = new Media({
  baseUrl,
  apiSecret,
  polling: impatient.media,
  // The documentation doesn't name the fields that contain a session's id and status. This setting reads the
  // emulator's fields.
  sessionAccess: emulatorSessionAccess,
})

// The fields of documents, avatars and sessions aren't documented either. The fields below are the emulator's.
const document = await media.documents.create({ name: 'Timetable', content: 'The ferry leaves at nine.' })
const avatar = await media.avatars.create({
  name: 'Harbor guide',
  personality: 'Friendly, and brief.',
  voice: { type: 'live-preset', presetId: 'clara' },
  referenceImage: file(fileURLToPath(new URL('./documents/receipt.png', import.meta.url))),
  documentIds: [String(document['id'])],
})

const session = await media.sessions.create({ avatarId: avatar['id'] })
await session.wait({ onUpdate: ({ status }) => console.log(`session: ${status}`) })
// The credentials for the WebRTC connection are returned only once. Keep them out of logs.
const credentials = await session.consume()
console.log(`credentials received: ${Object.keys(credentials as object).join(', ')}`)
