// Makes an avatar that knows a text, and opens a real-time session.
import { fileURLToPath } from 'node:url'

import { emulatorSessionAccess, file, Media } from '@concord/media'

import { impatient, service } from './support/service.ts'

await using target = await service('media')
await using media = new Media({
  baseUrl: target.baseUrl,
  apiSecret: target.apiSecret,
  polling: impatient.media,
  // The documentation does not show where a session has its identifier and status. The emulator chose these places.
  sessionAccess: emulatorSessionAccess,
})

// Neither are the fields of documents, avatars and sessions: these are what the emulator takes and gives.
const document = await media.documents.create({ name: 'Timetable', content: 'The ferry leaves at nine.' })
const avatar = await media.avatars.create({
  name: 'Harbour guide',
  personality: 'Friendly, and brief.',
  voice: { type: 'live-preset', presetId: 'clara' },
  referenceImage: file(fileURLToPath(new URL('./documents/receipt.png', import.meta.url))),
  documentIds: [String(document['id'])],
})

const session = await media.sessions.create({ avatarId: avatar['id'] })
await session.wait({ onUpdate: ({ status }) => console.log(`session: ${status}`) })
// They are given once, and are for whoever opens the WebRTC connection. Keep them out of logs.
const credentials = await session.consume()
console.log(`credentials received: ${Object.keys(credentials as object).join(', ')}`)
