// A worker with one route for each service, whose URL is in a binding.
import * as clients from '../shared/clients.mjs'
import { use } from '../shared/flow.mjs'

export default {
  async fetch(request, env) {
    const services = JSON.parse(env.SERVED)
    const name = new URL(request.url).pathname.slice(1)
    try {
      const file = new File([await request.arrayBuffer()], 'receipt.png', { type: 'image/png' })
      await use(clients, name, services[name], { file })
      return new Response('all good')
    } catch (error) {
      return new Response(`${error?.stack ?? error}\ncause: ${error?.cause?.stack ?? error?.cause}`, {
        status: 500,
      })
    }
  },
}
