// Takes all inputs from its command line, so that it needs no access to the environment or to files.
import * as clients from '../shared/clients.mjs'
import { useAll } from '../shared/flow.mjs'

const services = JSON.parse(process.argv[2])
const content = Uint8Array.from(atob(process.argv[3]), (letter) => letter.charCodeAt(0))
await useAll(clients, services, { content, filename: 'receipt.png' })
console.log('all good')
