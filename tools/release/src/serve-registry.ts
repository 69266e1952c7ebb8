// The process of a registry. It receives the configuration in the first message, and replies with its port.
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import { runServer } from 'verdaccio'

process.once('message', async (config: object) => {
  const server = (await runServer(config)) as Server
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
})
// The registry stops whenever the process that started it ends.
process.once('disconnect', () => process.exit(0))
