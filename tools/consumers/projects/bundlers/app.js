// An application that a bundler puts into one file.
import * as clients from '../shared/clients.mjs'
import { served, useAll } from '../shared/flow.mjs'

useAll(clients, served(), process.env.CONCORD_FILE).then(
  () => console.log('all good'),
  (error) => {
    console.error(error)
    process.exitCode = 1
  },
)
