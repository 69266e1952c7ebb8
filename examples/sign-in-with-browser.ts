// Signs in with the browser of the person at this machine, so that the program never sees a password.
import { StorageAuth } from '@concord/storage-auth'

import { signInAsPerson } from './support/browser.ts'
import { service } from './support/service.ts'

await using target = await service('storageAuth')
await using storage = new StorageAuth({
  authUrl: target.authUrl,
  dataUrl: target.dataUrl,
  webUrl: target.webUrl,
})

const session = await storage.signInWithBrowser({
  deadline: '2m',
  onAddress: (address) => console.log(`Sign in at ${address}`),
  // Nobody sits here, so the example fills in the emulator's form. Leave this out to have the system's browser opened.
  ...(target.emulator && {
    openBrowser: (address: string) => void signInAsPerson(address, target).then((page) => console.log(page)),
  }),
  // The documented flow has nothing that ties the answer to this program, so say who is expected where you know it.
  confirm: (user) => user?.email === target.email,
})
console.log(`signed in as ${session.user?.email}`)
