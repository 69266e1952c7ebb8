// Signs in with the browser on this machine, so that the program never sees a password.
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
  // No one is at a browser here, so the example fills in the emulator's form. Omit this to open the system's browser.
  ...(target.emulator && {
    openBrowser: (address: string) => void signInAsPerson(address, target).then((page) => console.log(page)),
  }),
  // Nothing in the documented flow ties the answer to this program, so check the user if you know who to expect.
  confirm: (user) => user?.email === target.email,
})
console.log(`signed in as ${session.user?.email}`)
