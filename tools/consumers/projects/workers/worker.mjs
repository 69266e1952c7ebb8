// A worker: one route for each service. Its addresses are bindings.
import { ApiError, Extraction } from '@concord/extraction'
import { Media } from '@concord/media'
import { Speech } from '@concord/speech'
import { StorageAuth } from '@concord/storage-auth'

import { extract, listen, organization, signIn } from '../shared/flow.mjs'

export default {
  async fetch(request, env) {
    const services = JSON.parse(env.SERVED)
    const routes = {
      '/extraction': async () => {
        const file = new File([await request.arrayBuffer()], 'receipt.png', { type: 'image/png' })
        await extract({ Extraction, ApiError }, services.extraction, file)
      },
      '/media': () => organization({ Media }, services.media),
      '/storageAuth': () => signIn({ StorageAuth }, services.storageAuth),
      '/speech': () => listen({ Speech }, services.speech),
    }
    const { pathname } = new URL(request.url)
    try {
      if (!(pathname in routes))
        throw new Error(
          `The emulator serves ${pathname.slice(1)}, but projects/workers/worker.mjs has no route for it.`,
        )
      await routes[pathname]()
      return new Response('all good')
    } catch (error) {
      return new Response(`${error?.stack ?? error}\ncause: ${error?.cause?.stack ?? error?.cause}`, {
        status: 500,
      })
    }
  },
}
