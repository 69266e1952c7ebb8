/** Runs in a separate process: sends Prism a malformed multipart body, with and without our guard. */
import { readSpec } from '@concord/spec-model'

import { startPrism } from '../src/http/prism.ts'
import { responses, oneOperation, rawPrism } from './raw-prism.ts'

const document = oneOperation({
  requestBody: {
    content: { 'multipart/form-data': { schema: { type: 'object', properties: { a: { type: 'string' } } } } },
  },
  responses: responses({ type: 'object' }, {}),
})
const type = 'multipart/form-data; boundary=b'
const malformed = Buffer.from('--b\r\nX-Nothing: here\r\n\r\nvalue\r\n--b--\r\n')
const wellFormed = Buffer.from('--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nvalue\r\n--b--\r\n')

if (process.argv[2] === 'raw') {
  const { address, server } = await rawPrism(document)
  const send = (body: Buffer): Promise<unknown> =>
    fetch(`${address}/do`, { method: 'POST', headers: { 'content-type': type }, body: new Uint8Array(body) })
  await send(malformed).catch(() => undefined)
  await send(wellFormed)
  await server.close()
} else {
  const prism = await startPrism(readSpec(document, { file: 'one.yaml' }))
  const request = { method: 'POST', target: '/do', headers: [['content-type', type]] as const }
  const refused = await prism.exchange({ ...request, body: malformed })
  const taken = await prism.exchange({ ...request, body: wellFormed })
  await prism.close()
  process.stdout.write(
    `${refused.response.status} ${refused.findings[0]?.message}; then ${taken.response.status}`,
  )
}
