// The process of a registry: reads its configuration from the first message, and answers with the address.
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import { runServer } from 'verdaccio'

process.once('message', async (config: object) => {
  const server = (await runServer(config)) as Server
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
})
// The registry ends with the process that started it, however that one ends.
process.once('disconnect', () => process.exit(0))
