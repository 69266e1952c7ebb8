// All clients, for a page.
import * as clients from '../shared/clients.mjs'

globalThis.clients = clients
