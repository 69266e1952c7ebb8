// Runs a registry. The first message from the parent process is the configuration. The reply is the registry's port.
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import { runServer } from 'verdaccio'

process.once('message', async (config: object) => {
  const server = (await runServer(config)) as Server
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
})
// Stops the registry if the parent process ends.
process.once('disconnect', () => process.exit(0))
