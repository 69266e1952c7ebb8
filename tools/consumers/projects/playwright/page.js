// A page: its clients call the page's own origin.
import { Extraction } from '@concord/extraction'

globalThis.extract = async (bytes) => {
  const baseUrl = `${location.origin}/api`
  const extraction = new Extraction({
    baseUrl,
    apiKey: 'set-by-the-server',
    polling: { job: { firstDelayMs: 20, minDelayMs: 20 } },
  })
  const file = new File([Uint8Array.from(bytes)], 'receipt.png', { type: 'image/png' })
  const submitted = await extraction.submit({ file })
  const done = await submitted.wait()
  return done.status
}
